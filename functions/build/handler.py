"""The Lambda entry of BUILD."""

from functions.build.build import build
from shared.jobs.types.build import SPEC
from shared.runtime import job_handler

handler = job_handler(SPEC, build)
