"""Child processes that never outlive the process that started them, however that one dies.

Linux has a signal for it (PR_SET_PDEATHSIG). It fires when the *thread* that forked ends, so it is asked for
only from the main thread, whose end is the process's; everywhere else (other threads, macOS) a small watcher
process holds the reading end of a pipe and acts when the writing end, held by the parent alone, closes.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1

# Reads one byte: "q" is a parent that is done with the child; end of file is a parent that died.
_WATCHER = """
import os, sys, time
pid, number, last = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
if os.read(0, 1) == b"":
    for n, wait in ((number, 10.0), (last, 0.0)):
        try:
            os.kill(pid, n)
            end = time.monotonic() + wait
            while time.monotonic() < end:
                os.kill(pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            break
"""


def kernel_can_signal() -> bool:
    """True where the kernel itself signals a child at the death of the calling thread's process."""
    return sys.platform == "linux" and threading.current_thread() is threading.main_thread()


def signal_at_parent_death(number: int) -> Callable[[], None]:
    """A `preexec_fn` that asks the kernel to send `number` to the child when its parent dies (Linux only).

    It must run after a change of user, which clears the request: `subprocess` changes users first.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # the parent died between fork and here: nobody would ever signal us
            os.kill(os.getpid(), signal.SIGKILL)

    return ask


class Watcher:
    """A process that sends `number`, 10 s later SIGKILL, to `pid` when this one dies without `release`."""

    def __init__(self, pid: int, number: int) -> None:
        reading, self._writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCHER, str(pid), str(number), str(int(signal.SIGKILL))],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={},
            )
        except BaseException:
            os.close(self._writing)
            raise
        finally:
            os.close(reading)

    @property
    def pid(self) -> int:
        return self._process.pid

    def release(self) -> None:
        """The child ended in order: the watcher leaves it alone."""
        try:
            os.write(self._writing, b"q")
        except BrokenPipeError:  # the watcher itself was killed
            pass
        finally:
            os.close(self._writing)
        self._process.wait(10)
