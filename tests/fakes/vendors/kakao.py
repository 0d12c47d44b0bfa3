"""Kakao Local's keyword search."""

from tests.fakes.vendors import Scenario, says

SCENARIOS: dict[str, Scenario] = {"ok": says({"documents": [], "meta": {}})}
