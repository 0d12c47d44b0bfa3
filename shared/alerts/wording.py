"""What an alert says, in Korean and in English."""

from dataclasses import dataclass
from typing import Literal

from shared.alerts import channel_words
from shared.alerts.channel_words import ChannelWords

Locale = Literal["ko", "en"]


@dataclass(frozen=True)
class Wording:
    """The words of one language. `{…}` are filled by the card. `advice` names every kind this release raises."""

    job_dead: str
    publish_failed: str
    queue_stalled: str
    claimer_missing: str
    reaper_missing: str
    vacuum_held: str
    channel_failing: str
    business_closed: str
    ai_refused: str
    ai_budget_spent: str
    alert_test: str
    dead_several: str
    several: str
    job: str
    region: str
    why: str
    since: str
    waited: str
    silent: str
    open_for: str
    how_often: str
    how_often_grown: str
    attempts: str
    todo: str
    open_job: str
    open_dashboard: str
    and_more: str
    cut: str
    once: str
    times: str
    more_names: str
    cases: str
    time: str  # for strftime, in the operator's zone
    ago: str
    just_now: str
    units: tuple[str, str, str]  # minutes, hours, days
    advice: dict[str, str]
    advice_other: str
    advice_several: str
    reasons: dict[str, str]  # by how an error begins: what it means
    lease_expired: str
    channels: ChannelWords


KOREAN = Wording(
    job_dead="{type} 작업이 실패했습니다",
    publish_failed="페이지를 게시하지 못했습니다",
    queue_stalled="작업 대기열이 멈춰 있습니다",
    claimer_missing="작업을 나눠 주는 claimer가 멈췄습니다",
    reaper_missing="작업을 지켜보는 reaper가 멈췄습니다",
    vacuum_held="데이터베이스 정리(vacuum)가 막혀 있습니다",
    channel_failing="{channel} 채널이 여러 가게에서 실패합니다",
    business_closed="폐업한 것으로 나오는 가게가 있습니다",
    ai_refused="AI 제공자가 호출을 거절합니다",
    ai_budget_spent="이번 달 AI 예산을 다 썼습니다",
    alert_test="알림 시험입니다",
    dead_several="{type} 작업 {count}건이 실패했습니다",
    several="{title} — {count}건",
    job="작업",
    region="지역",
    why="원인",
    since="처음",
    waited="대기",
    silent="멈춤",
    open_for="열림",
    how_often="횟수",
    how_often_grown="{total}회 (지난 알림 뒤 {new}회)",
    attempts="시도",
    todo="할 일",
    open_job="작업 열기",
    open_dashboard="대시보드 열기",
    and_more="… 외 {count}건",
    cut=" … (줄임)",
    once="1회",
    times="{count}회",
    more_names=" 외 {count}곳",
    cases="{count}건",
    time="%m월 %d일 %H:%M",
    ago="{time} 전",
    just_now="방금",
    units=("{n}분", "{n}시간", "{n}일"),
    advice={
        "job_dead": "원인을 해결한 뒤 작업을 다시 대기열에 넣으세요.",
        "publish_failed": "원인이 된 정보를 고치세요. 고치면 페이지를 다시 만듭니다. 이전 페이지는 그대로 있습니다.",
        "queue_stalled": "claimer 함수가 실행되는지, 데이터베이스에 연결되는지, 동시 한도가 찼는지 확인하세요.",
        "claimer_missing": "claimer 함수의 오류와 예약 실행을 확인하세요. 그때까지 작업이 시작되지 않습니다.",
        "reaper_missing": "reaper 함수의 오류와 예약 실행을 확인하세요. 그때까지 끊긴 작업이 돌아오지 않습니다.",
        "vacuum_held": "pg_stat_activity에서 오래 열려 있는 트랜잭션을 찾아 끝내세요. 그때까지 작업이 점점 느려집니다.",
        "channel_failing": "제공자의 상태를 확인하세요. 그때까지 수집은 다른 채널로 계속됩니다.",
        "business_closed": "가게 주인에게 확인하세요. 폐업했으면 가게를 지우세요. 그때까지 페이지는 그대로 있습니다.",
        "ai_refused": "auth이면 키를, model_retired이면 설정의 모델 이름을, spend_limit이면 제공자의 결제 한도를 확인하세요. "
        "그때까지 페이지는 확인된 사실만으로 만들어집니다.",
        "ai_budget_spent": "AI_MONTHLY_BUDGET_USD를 올리거나 다음 달을 기다리세요. 페이지는 확인된 사실만으로 만들어집니다.",
        "alert_test": "알림이 잘 도착했습니다. 할 일이 없습니다.",
    },
    advice_other="대시보드에서 자세한 내용을 확인하세요.",
    advice_several="공통 원인을 먼저 해결하고, 대시보드에서 하나씩 다시 대기열에 넣으세요.",
    reasons={
        "JobDeadlineExceeded": "정해진 시간 안에 끝나지 않았습니다.",
        "UnknownJobType": "이 버전이 모르는 종류의 작업입니다.",
        "SnoozedTooLong": "72시간을 기다렸지만 차례가 오지 않았습니다.",
    },
    lease_expired="작업하던 프로세스가 응답을 멈췄습니다. 메모리나 시간이 모자랐을 수 있습니다.",
    channels=channel_words.KOREAN,
)

ENGLISH = Wording(
    job_dead="A {type} job died",
    publish_failed="A page could not be published",
    queue_stalled="The job queue has stalled",
    claimer_missing="The claimer, which hands out jobs, is silent",
    reaper_missing="The reaper, which watches over jobs, is silent",
    vacuum_held="Something keeps vacuum from the table of jobs",
    channel_failing="{channel}: this channel fails for many places",
    business_closed="A business is reported closed",
    ai_refused="A provider of AI refuses our calls",
    ai_budget_spent="The month's budget for AI is spent",
    alert_test="This is a test of the alerts",
    dead_several="{count} {type} jobs died",
    several="{title} ({count} of them)",
    job="Job",
    region="Region",
    why="Why",
    since="Since",
    waited="Waiting",
    silent="Silent",
    open_for="Open for",
    how_often="Count",
    how_often_grown="{total} times ({new} since the last alert)",
    attempts="Tries",
    todo="What to do",
    open_job="Open the job",
    open_dashboard="Open the dashboard",
    and_more="… and {count} more",
    cut=" … (cut)",
    once="once",
    times="{count} times",
    more_names=" and {count} more",
    cases="{count} of them",
    time="%d %b %H:%M",
    ago="{time} ago",
    just_now="just now",
    units=("{n} min", "{n} h", "{n} d"),
    advice={
        "job_dead": "Remove the cause, then requeue the job.",
        "publish_failed": "Correct the fact it names; the page is then made again. The old page is still up.",
        "queue_stalled": "See whether the claimer runs and reaches the database, and whether a type is at its limit.",
        "claimer_missing": "Look at the claimer's errors and schedule. No job starts until it runs.",
        "reaper_missing": "Look at the reaper's errors and schedule. Broken jobs do not come back until it runs.",
        "vacuum_held": "Find the transaction that is open for long in pg_stat_activity and end it. Jobs get slower till then.",
        "channel_failing": "See how the vendor is. Until then collecting goes on with the other channels.",
        "business_closed": "Ask the owner. If it has closed, delete the place. Until then its page stays up.",
        "ai_refused": "auth: look at the key; model_retired: name another model in the settings; spend_limit: raise the "
        "provider's limit. Until then pages are made of the confirmed facts alone.",
        "ai_budget_spent": "Raise AI_MONTHLY_BUDGET_USD or wait for the next month. Pages are made of the confirmed facts alone.",
        "alert_test": "Alerts arrive. There is nothing to do.",
    },
    advice_other="The dashboard has the details.",
    advice_several="Remove what they have in common, then requeue them one by one on the dashboard.",
    reasons={
        "JobDeadlineExceeded": "It did not end within its time.",
        "UnknownJobType": "This release does not know that type of job.",
        "SnoozedTooLong": "It waited 72 hours for its turn.",
    },
    lease_expired="Its process fell silent. It may have run out of memory or time.",
    channels=channel_words.ENGLISH,
)


def wording(locale: str) -> Wording:
    """The words of `locale`; English for one that is not Korean."""
    return KOREAN if locale == "ko" else ENGLISH
