"""A small Runtime API loop for machines where awslambdaric has no wheel. Run as a script: `<handler>`.

Standard library only; what functions can see of it (context, errors, logging) is what AWS's own client shows.
"""

import http.client
import importlib
import json
import logging
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_API = "/2018-06-01/runtime"
Handler = Callable[[Any, Any], Any]


class Fault(Exception):
    """The handler cannot be loaded; `kind` is AWS's error type."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Context:
    """The second argument of a handler."""

    def __init__(self, headers: http.client.HTTPMessage) -> None:
        environment = os.environ
        self.aws_request_id = headers["Lambda-Runtime-Aws-Request-Id"]
        self.invoked_function_arn = headers["Lambda-Runtime-Invoked-Function-Arn"]
        self.function_name = environment["AWS_LAMBDA_FUNCTION_NAME"]
        self.function_version = environment["AWS_LAMBDA_FUNCTION_VERSION"]
        self.memory_limit_in_mb = environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = environment["AWS_LAMBDA_LOG_GROUP_NAME"]
        self.log_stream_name = environment["AWS_LAMBDA_LOG_STREAM_NAME"]
        self.client_context = None
        self.identity = None
        self.tenant_id = None
        self._deadline_ms = int(headers["Lambda-Runtime-Deadline-Ms"])

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the sandbox is killed, never below 0."""
        return max(self._deadline_ms - int(time.time() * 1000), 0)


class Client:
    """One kept-open connection to the Runtime API."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address)

    def next(self) -> tuple[http.client.HTTPMessage, bytes]:
        """Wait for the next event."""
        return self._call("GET", "/invocation/next", None)

    def answer(self, request_id: str, result: str) -> None:
        """Send what the handler returned."""
        self._call("POST", f"/invocation/{request_id}/response", result)

    def error(self, path: str, error: dict[str, Any]) -> None:
        """Report an error of an invocation or of the start."""
        self._call("POST", path, json.dumps(error))

    def _call(self, method: str, path: str, body: str | None) -> tuple[http.client.HTTPMessage, bytes]:
        self._connection.request(method, _API + path, body=body.encode() if body is not None else None)
        response = self._connection.getresponse()
        return response.headers, response.read()


def load(handler: str) -> Handler:
    """Import `module.function`. Raises `Fault`; an error of the module's own code comes through as it is."""
    module_name, _, name = handler.rpartition(".")
    if not module_name:
        raise Fault("Runtime.MalformedHandlerName", f"Bad handler '{handler}': not enough values to unpack")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        message = f"Unable to import module '{module_name}': {error}"
        raise Fault("Runtime.ImportModuleError", message) from error
    except SyntaxError as error:
        message = f"Syntax error in module '{module_name}': {error}"
        raise Fault("Runtime.UserCodeSyntaxError", message) from error
    if not hasattr(module, name):
        raise Fault("Runtime.HandlerNotFound", f"Handler '{name}' missing on module '{module_name}'")
    function: Handler = getattr(module, name)
    return function


def describe(error: BaseException, request_id: str = "") -> dict[str, Any]:
    """An exception in the shape AWS reports it, without this file's own frames."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    return {
        "errorMessage": str(error),
        "errorType": error.kind if isinstance(error, Fault) else type(error).__name__,
        "requestId": request_id,
        "stackTrace": [] if isinstance(error, Fault) else traceback.format_list(frames),
    }


def run(handler: str) -> NoReturn:
    """Load the handler, then answer events until the process is killed."""
    client = Client(os.environ["AWS_LAMBDA_RUNTIME_API"])
    records = logging.StreamHandler(sys.stdout)
    records.setFormatter(
        logging.Formatter("[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(message)s", "%Y-%m-%dT%H:%M:%S")
    )
    logging.Formatter.converter = time.gmtime
    logging.getLogger().addHandler(records)
    try:
        function = load(handler)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome of the start
        _print(described := describe(error))
        client.error("/init/error", described)
        sys.exit(1)
    while True:
        headers, payload = client.next()
        request_id = headers["Lambda-Runtime-Aws-Request-Id"]
        os.environ["_X_AMZN_TRACE_ID"] = headers["Lambda-Runtime-Trace-Id"]
        try:
            result = _to_json(function(json.loads(payload), Context(headers)))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome of the invocation
            _print(described := describe(error, request_id))
            client.error(f"/invocation/{request_id}/error", described)
        else:
            client.answer(request_id, result)


def _to_json(result: Any) -> str:
    try:
        return json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise Fault("Runtime.MarshalError", f"Unable to marshal response: {error}") from error


def _print(error: dict[str, Any]) -> None:
    text = f"[ERROR] {error['errorType']}: {error['errorMessage']}\n" + "".join(error["stackTrace"])
    sys.stdout.write(text.rstrip("\n") + "\n")


def _end_with(parent: int) -> None:
    """Where the kernel does not do it: die with the emulator, looked for twice a second."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    threading.Thread(target=_end_with, args=(int(os.environ["WEB4AI_EMULATOR_PID"]),), daemon=True).start()
    run(sys.argv[1])
