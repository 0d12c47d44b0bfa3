"""The moments of a run that several servers see, one after the other, and a halt at one of them."""

import threading
from collections.abc import Callable

Halt = Callable[[int, str], bool]


class Moments:
    """A list of what happened. At the first moment that `halt(index, name)` is true of, the world stands still until `go_on`."""

    def __init__(self, halt: Halt = lambda index, name: False) -> None:
        self.names: list[str] = []
        self.halted = threading.Event()
        self._halt = halt
        self._lock = threading.Lock()
        self._on = threading.Event()
        self._dead = False

    def happens(self, name: str) -> bool:
        """Note a moment, wait if it is the one to halt at; whether the world still wants what follows from it."""
        with self._lock:
            if self._dead:
                return False
            index = len(self.names)
            self.names.append(name)
            here = not self.halted.is_set() and self._halt(index, name)
        if here:
            self.halted.set()
            self._on.wait()
        return not self._dead

    def go_on(self, *, dead: bool) -> None:
        """End the halt; `dead`: whoever asked has died, nothing that it asked for comes to be any more."""
        self._dead = dead
        self._on.set()
