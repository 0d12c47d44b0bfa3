"""One JSON logger for all functions. Fields, not sentences: what can be searched for goes in as a key."""

from aws_lambda_powertools import Logger

logger = Logger(service="web4ai")
