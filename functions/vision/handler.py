"""The Lambda entry of VISION."""

from functions.vision.work import look_at
from shared.jobs.types.vision import SPEC
from shared.runtime import job_handler

handler = job_handler(SPEC, look_at)
