"""What can be wrong with a sentence."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from shared.prose.suspects import Claim

Kind: TypeAlias = Literal[
    Claim,
    "number",  # a number or count, in digits or words
    "price",
    "time",  # a time of day that no opening hours have
    "hours",  # days and times that do not agree with the hours
    "phone",
    "web",  # an address of the web or of mail, a network's name or handle
    "markup",
    "leak",  # words of the conversation with the model
    "amenity",  # parking, delivery and the like that are not among the facts
    "name",  # a proper name that no fact carries
    "language",  # not the language of the page
    "word",  # any other word that no fact carries
]


@dataclass(frozen=True)
class Finding:
    """A part of a sentence that no fact carries."""

    kind: Kind
    span: str

    def __str__(self) -> str:
        return f"{self.kind} {self.span}"
