"""The Lambda entry of COLLECT."""

from functions.collect.collect import collect
from shared.jobs.types.collect import SPEC
from shared.runtime import job_handler

handler = job_handler(SPEC, collect)
