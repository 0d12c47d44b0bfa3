"""Sites made to exhaust whoever reads them: each ends within its caps, in bounded memory, as one diagnostic.

The site is a process of its own, and so is the reader, whose memory is measured from outside Python's own counting.
"""

from urllib.parse import urlsplit

import pytest

from tests.fakes.site_process import requests_of, site_process
from tests.fakes.site_visitor import visited

PAGE_SECONDS = 1.0
SLACK_SECONDS = 8.0  # for parsing what was read on a busy machine
GROWTH = 40_000_000  # bytes: a page of the cap of three million, its text, its tree

HOSTILE = {
    "bomb": ("failed", "too_large", []),  # three hundred kilobytes that unfold to as many megabytes
    "endless": ("failed", "too_large", []),
    "drip": ("failed", "timeout", []),  # a byte a second
    "silent": ("failed", "timeout", []),
    "to/?round": ("failed", "too_many_redirects", []),
    "nested": ("ok", None, ["too_deep"]),  # two hundred thousand tags within each other
    "tags": ("ok", None, ["too_large"]),
}


@pytest.mark.slow
def test_hostile_sites_end_within_their_caps_in_bounded_memory_as_one_diagnostic() -> None:
    with site_process() as site:
        origin = site["site"]
        websites = [f"{origin}/ok/", *(f"{origin}/{path}" for path in HOSTILE)]
        harmless, *visits = visited(urlsplit(origin).netloc, websites, page_seconds=PAGE_SECONDS)
        asked = requests_of(origin)
    assert harmless["outcome"] == "ok"
    told = {
        path: (visit["outcome"], visit["code"], visit["notes"])
        for path, visit in zip(HOSTILE, visits, strict=True)
    }
    assert told == HOSTILE
    assert max(visit["seconds"] for visit in visits) < PAGE_SECONDS + SLACK_SECONDS
    assert sum(visit["grown"] for visit in visits) < GROWTH
    assert asked.count("/to/?round") == 6  # the address itself and five redirects
