"""A page as a model wrote it, sentence by sentence, with what was found in each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from functions.copy.claims import Checker, Finding, Part
from shared.places.models import Locale, PageCopy, Question, Section
from shared.prose.texts import sentences_of, shown

# Characters of each part; what is longer is not what was asked for.
_LIMITS: dict[Part, int] = {
    "title": 120,
    "summary": 400,
    "heading": 60,
    "text": 1500,
    "question": 150,
    "answer": 600,
}
_MOST_SECTIONS, _MOST_QUESTIONS = 6, 10
_WHOLE: frozenset[Part] = frozenset(["title", "heading", "question"])  # stand or fall as one


@dataclass
class Line:
    """One sentence, or one title, heading or question. It is published when nothing is found in it."""

    part: Part
    index: int  # of its section or question
    text: str
    findings: list[Finding] = field(default_factory=list)


class Draft:
    """The page of one language on its way to being published."""

    def __init__(self, page: PageCopy, locale: Locale, checker: Checker) -> None:
        self.locale: Locale = locale
        self._checker = checker
        self._sections = page.sections[:_MOST_SECTIONS]
        self._questions = page.faq[:_MOST_QUESTIONS]
        self.lines: list[Line] = []
        self._add("title", 0, page.title)
        self._add("summary", 0, page.summary)
        for index, section in enumerate(self._sections):
            self._add("heading", index, section.heading)
            self._add("text", index, section.text)
        for index, asked in enumerate(self._questions):
            self._add("question", index, asked.question)
            self._add("answer", index, asked.answer)

    def _add(self, part: Part, index: int, text: str) -> None:
        if len(text) <= _LIMITS[part]:
            self.lines += self._checked(part, index, text)

    def _checked(self, part: Part, index: int, text: str) -> list[Line]:
        texts = [" ".join(shown(text).split())] if part in _WHOLE else sentences_of(text)
        return [
            Line(part, index, sentence, self._checker.findings(sentence, self.locale, part))
            for sentence in texts
            if sentence
        ]

    @property
    def is_foreign(self) -> bool:
        """Whether the page is not in its language: most lines are not."""
        foreign = [line for line in self.lines if any(f.kind == "language" for f in line.findings)]
        return len(foreign) * 2 > len(self.lines)

    @property
    def doubtful(self) -> list[Line]:
        """The lines in which something was found."""
        return [line for line in self.lines if line.findings]

    def replace(self, line: Line, text: str) -> bool:
        """Put another text in the line's place where it stands up to the check; say whether it does.

        What does not stand up leaves the line as it was, to be dropped.
        """
        if not text.strip() or len(text) > _LIMITS[line.part]:
            return False
        written = self._checked(line.part, line.index, text)
        if not written or any(new.findings for new in written):
            return False
        at = self.lines.index(line)
        self.lines[at : at + 1] = written
        return True

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the model's is left to publish."""
        return self.is_foreign or all(line.findings for line in self.lines)

    def page(self, fallback: PageCopy) -> PageCopy:
        """What may be published, in a page; what must not be empty is taken from `fallback`.

        A section or question whose text is gone goes with it, and one whose heading is.
        """
        if self.is_foreign:
            return fallback
        sections = [
            Section(heading=self._said("heading", index), text=self._said("text", index), facts=section.facts)
            for index, section in enumerate(self._sections)
        ]
        faq = [
            Question(question=self._said("question", index), answer=self._said("answer", index))
            for index in range(len(self._questions))
        ]
        return PageCopy(
            title=self._said("title", 0) or fallback.title,
            summary=self._said("summary", 0) or fallback.summary,
            sections=[s for s in sections if s.heading and s.text] or fallback.sections,
            faq=[q for q in faq if q.question and q.answer] or fallback.faq,
        )

    def _said(self, part: Part, index: int) -> str:
        return " ".join(
            line.text for line in self.lines if (line.part, line.index) == (part, index) and not line.findings
        )


def findings_of(drafts: Sequence[Draft]) -> list[Finding]:
    """Everything found in what is not published."""
    return [finding for draft in drafts for line in draft.doubtful for finding in line.findings]
