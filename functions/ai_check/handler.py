"""The Lambda entry of AI_CHECK."""

from functions.ai_check.work import check
from shared.jobs.types.ai_check import SPEC
from shared.runtime import job_handler

handler = job_handler(SPEC, check)
