"""What an alert says, in Korean and in English."""

from dataclasses import dataclass
from typing import Literal

Locale = Literal["ko", "en"]


@dataclass(frozen=True)
class Wording:
    """The words of one language. `{…}` are filled by the card."""

    job_dead: str
    publish_failed: str
    queue_stalled: str
    several: str
    what: str
    place: str
    why: str
    since: str
    how_often: str
    how_often_grown: str
    attempts: str
    todo: str
    open_job: str
    open_dashboard: str
    and_more: str
    cut: str
    times: str
    advice: dict[str, str]
    advice_other: str


KOREAN = Wording(
    job_dead="{type} 작업이 실패했습니다",
    publish_failed="페이지를 게시하지 못했습니다",
    queue_stalled="작업 대기열이 멈춰 있습니다",
    several="{title} — {count}건",
    what="작업",
    place="대상",
    why="원인",
    since="처음 발생",
    how_often="발생 횟수",
    how_often_grown="{total}회 (지난 알림 뒤 {new}회)",
    attempts="시도",
    todo="할 일",
    open_job="작업 열기",
    open_dashboard="대시보드 열기",
    and_more="… 외 {count}건",
    cut=" … (줄임)",
    times="{count}회",
    advice={
        "job_dead": "원인을 해결한 뒤 대시보드에서 작업을 다시 대기열에 넣으세요.",
        "publish_failed": "원인을 확인하고 BUILD 작업을 다시 대기열에 넣으세요.",
        "queue_stalled": "claimer 함수가 실행되고 있는지, 데이터베이스에 연결되는지 확인하세요.",
    },
    advice_other="대시보드에서 자세한 내용을 확인하세요.",
)

ENGLISH = Wording(
    job_dead="A {type} job died",
    publish_failed="A page could not be published",
    queue_stalled="The job queue has stalled",
    several="{title}: {count} of them",
    what="Job",
    place="For",
    why="Why",
    since="Since",
    how_often="How often",
    how_often_grown="{total} times ({new} since the last alert)",
    attempts="Attempts",
    todo="What to do",
    open_job="Open the job",
    open_dashboard="Open the dashboard",
    and_more="… and {count} more",
    cut=" … (cut)",
    times="{count} times",
    advice={
        "job_dead": "Remove the cause, then requeue the job from the dashboard.",
        "publish_failed": "Look at the cause and requeue the BUILD job.",
        "queue_stalled": "See whether the claimer runs and reaches the database.",
    },
    advice_other="The dashboard has the details.",
)


def wording(locale: str) -> Wording:
    """The words of `locale`; English for one that is not Korean."""
    return KOREAN if locale == "ko" else ENGLISH
