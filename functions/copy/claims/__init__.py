"""Holds a written text against the confirmed facts, without a model.

Two nets, one behind the other. What has a value (numbers, prices, times, days, telephone numbers) must be the value of a
fact, and stand by the thing it belongs to. Of the words that remain, each must be a fact's, in either language, or one of
a closed vocabulary that claims nothing by itself; so an invention needs no list of inventions to be found. Lists of
praise, awards, certificates and the like name what was found, and hold even where a dish happens to be called so.

False alarms cost a sentence, which is written again or left to the template; what passes wrongly is published.
"""

from functions.copy.claims.checker import Checker, Part
from functions.copy.claims.findings import Finding, Kind

__all__ = ["Checker", "Finding", "Kind", "Part"]
