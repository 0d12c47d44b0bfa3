"""The Lambda entries of the run's sandboxes: the product's own claimer, reaper and flusher, and a handler of the run's own jobs.

Every process names itself in `application_name`, which the proxy reads when it connects.
"""

import os

from tests.chaos import registered  # noqa: F401 - before the queue is used

os.environ["DATABASE_URL"] += "&application_name=" + "/".join(
    (
        "chaos",
        os.environ["AWS_LAMBDA_FUNCTION_NAME"].removeprefix("chaos-"),
        os.environ["AWS_LAMBDA_LOG_STREAM_NAME"],
        str(os.getpid()),
    )
)
