"""The Lambda entry of COPY."""

from functions.copy.work import write
from shared.jobs.types.copy import SPEC
from shared.runtime import job_handler

handler = job_handler(SPEC, write)
