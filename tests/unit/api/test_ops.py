"""What the operator sees and does over HTTP."""

import base64
import hashlib
import json
import re
from typing import Any
from uuid import uuid4

import pytest

from functions.enqueue import handler as enqueue
from functions.ops import handler as ops
from shared.http_api.openapi import DOCUMENT, document, text
from shared.migrate import newest_version
from shared.runtime import sandbox
from shared.settings import settings
from tests.unit.api.conftest import Answer, Api


def ready(api: Api) -> tuple[int, dict[str, bool]]:
    answer = api.call("GET /readyz")
    assert answer.json["ready"] == (answer.status == 200)
    return answer.status, {check["name"]: check["ok"] for check in answer.json["checks"]}


def seen(api: Api, name: str, age: str = "0 seconds") -> None:
    api.sql(
        "INSERT INTO beats (name, seen_at) VALUES ($1, now() - $2::text::interval)"
        " ON CONFLICT (name) DO UPDATE SET seen_at = EXCLUDED.seen_at",
        name,
        age,
    )


def test_it_is_ready_when_claimer_and_flusher_were_seen_lately(api: Api) -> None:
    seen(api, "claimer")
    seen(api, "alert_flusher")
    assert ready(api) == (200, dict.fromkeys(("database", "schema", "claimer", "alert_flusher"), True))
    seen(api, "claimer", "10 minutes")
    status, checks = ready(api)
    assert (status, checks["claimer"], checks["alert_flusher"]) == (503, False, True)
    api.sql("DELETE FROM beats WHERE name = 'alert_flusher'")
    answer = api.call("GET /readyz").json["checks"]
    assert {check["name"]: check["why"] for check in answer}["alert_flusher"] == "never seen"


def test_it_is_not_ready_with_another_schema_than_the_releases(api: Api) -> None:
    seen(api, "claimer")
    seen(api, "alert_flusher")
    api.sql("DELETE FROM schema_migrations WHERE version = $1", newest_version())
    assert ready(api)[1]["schema"] is False


def test_without_a_database_it_lives_but_is_not_ready_and_says_so_without_the_url(
    api: Api, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:SECRET@127.0.0.1:9/none")
    settings.cache_clear()
    monkeypatch.setattr(sandbox, "_connection", None)
    assert api.call("GET /livez").json == {"live": True}
    answer = api.call("GET /readyz")
    assert answer.status == 503
    assert not any(check["ok"] for check in answer.json["checks"])
    down = api.call("GET /places", token=token)
    assert (down.status, down.json["error"]["code"]) == (503, "database_unavailable")
    assert "SECRET" not in answer.text + down.text


def test_a_connection_that_died_meanwhile_is_made_anew(api: Api, token: str) -> None:
    assert api.call("GET /places", token=token).status == 200
    api.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    answers = [api.call("GET /places", token=token).status for _ in range(2)]
    assert answers[-1] == 200


def test_the_overview_counts_jobs_alerts_types_and_pages(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    api.call("POST /places/{place_id}/generation", f"/places/{place_id}/generation", token=token)
    api.sql("SELECT alert_raise('job_dead', 'COPY DEAD', '{}', 'a key', interval '1 hour')")
    for slug, version in (("new", "1"), ("old", "0")):
        place = api.call("POST /places", token=token, body={"name": slug}).json["place_id"]
        api.sql(
            "INSERT INTO sites (place_id, slug, content_hash, render_version, changed_at) VALUES ($1, $2, 'x', $3, now())",
            place,
            slug,
            version,
        )
    found: dict[str, Any] = api.call("GET /ops", token=admin).json
    assert (found["pending"], found["running"], found["done"], found["dead"], found["cancelled"]) == (
        5,
        0,
        0,
        0,
        0,
    )
    assert {"dead_1h", "stuck_running", "oldest_pending_sec", "deadline_1h"} <= found.keys()
    assert (found["alerts"]["waiting"], found["alerts"]["due"], found["alerts"]["dead"]) == (1, 1, 0)
    assert found["alerts_webhook"] == "missing"
    assert [kind["name"] for kind in found["types"]] == ["COLLECT", "VISION", "COPY", "BUILD", "AI_CHECK"]
    assert (found["pages"]["published"], found["pages"]["behind"]) == (2, 1)
    assert api.call("GET /ops", token=token).status == 403


def test_the_overview_tells_how_each_channel_went_and_which_is_closed_until_when(
    api: Api, admin: str
) -> None:
    assert api.call("GET /ops", token=admin).json["channels"] == []
    for channel, outcome, code, ago in (
        ("kakao", "failed", "auth", "1 minute"),
        ("kakao", "ok", None, "1 minute"),
        ("kakao", "ok", None, "2 hours"),
        ("nts", "skipped", "no_key", "1 minute"),
    ):
        api.sql(
            "INSERT INTO channel_outcomes (place_id, channel, outcome, code, asked_at)"
            " VALUES (gen_random_uuid(), $1, $2, $3, now() - $4::text::interval)",
            channel,
            outcome,
            code,
            ago,
        )
    api.sql(
        "INSERT INTO channel_pace (channel, closed_until, closed_code)"
        " VALUES ('tourapi', now() + interval '1 hour', 'quota_day'), ('osm', now() - interval '1 hour', 'auth')"
    )
    kakao, nts, tourapi = api.call("GET /ops", token=admin).json["channels"]
    assert (kakao["channel"], kakao["ok"], kakao["failed"], kakao["code"]) == ("kakao", 1, 1, "auth")
    assert (nts["channel"], nts["skipped"], nts["closed_until"]) == ("nts", 1, None)
    assert (tourapi["channel"], tourapi["failed"], tourapi["closed_code"]) == ("tourapi", 0, "quota_day")
    assert tourapi["closed_until"] is not None


def test_a_configured_webhook_is_said_but_not_shown(
    api: Api, admin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAMS_WEBHOOK_URL", "https://teams.example/?sig=SECRET")
    settings.cache_clear()
    answer = api.call("GET /ops", token=admin)
    assert answer.json["alerts_webhook"] == "configured"
    assert "SECRET" not in answer.text


@pytest.mark.parametrize("name", ["VISION", "vision", "2"])
def test_a_type_is_paused_and_resumed_by_name_or_number(api: Api, admin: str, token: str, name: str) -> None:
    def switch(verb: str, who: str) -> Answer:
        return api.call(f"POST /ops/types/{{job_type}}/{verb}", f"/ops/types/{name}/{verb}", token=who)

    assert switch("pause", token).status == 403
    assert switch("pause", admin).json == {"job_type": 2, "name": "VISION", "paused": True}
    assert [kind["paused"] for kind in api.call("GET /ops", token=admin).json["types"]] == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert switch("resume", admin).json["paused"] is False
    assert [name for name, _ in api.invokes] == ["test-claimer"]


def test_a_type_nobody_knows_is_not_found(api: Api, admin: str) -> None:
    for name in ("MINE", "99", "9999999999"):
        path = f"/ops/types/{name}/pause"
        assert api.call("POST /ops/types/{job_type}/pause", path, token=admin).status == 404


def test_alerts_are_listed_and_a_refused_one_is_posted_again(api: Api, admin: str, token: str) -> None:
    api.sql(
        "SELECT alert_raise('job_dead', 'COPY DEAD', '{\"error\": \"Boom\"}', 'a key', interval '1 hour')"
    )
    (alert,) = api.call("GET /alerts", token=admin).json["alerts"]
    assert (alert["status"], alert["occurrences"], alert["detail"]) == ("WAITING", 1, {"error": "Boom"})
    api.sql("UPDATE alert_outbox SET status = 3, last_error = 'Teams answered 400'")
    assert len(api.call("GET /alerts", token=admin, query={"status": "DEAD"}).json["alerts"]) == 1
    route, path = "POST /alerts/{alert_id}/retry", f"/alerts/{alert['alert_id']}/retry"
    assert api.call(route, path, token=token).status == 403
    assert api.call(route, path, token=admin).json["status"] == "WAITING"
    api.sql("UPDATE alert_outbox SET status = 2")
    assert api.call(route, path, token=admin).status == 409
    assert api.call(route, f"/alerts/{uuid4()}/retry", token=admin).status == 404


def test_an_error_nobody_foresaw_is_a_bare_500(api: Api, admin: str) -> None:
    api.sql("ALTER TABLE beats RENAME COLUMN seen_at TO seen_secretly_at")
    answer = api.call("GET /ops", token=admin)
    assert (answer.status, answer.json["error"]["code"]) == (500, "internal")
    assert "secretly" not in answer.text
    assert api.call("GET /livez").status == 200


def test_a_route_nobody_serves_has_the_same_shape_of_error(api: Api, admin: str) -> None:
    answer = api.call("GET /openapi.json", "/nowhere")
    assert (answer.status, answer.json["error"]["code"]) == (404, "not_found")
    assert set(answer.json["error"]) == {"code", "message", "details"}


def test_every_answer_has_the_security_headers(api: Api) -> None:
    for route in ("GET /livez", "GET /places", "GET /openapi.json", "GET /dashboard"):
        headers = api.call(route).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_the_description_is_that_of_the_routes_and_served_whole(api: Api) -> None:
    described = document([enqueue.app, ops.app], enqueue.OPEN_ROUTES | ops.OPEN_ROUTES)
    assert DOCUMENT.read_text(encoding="utf-8") == text(described), "run: python -m tools.openapi"
    served = api.call("GET /openapi.json").json
    assert served["openapi"].startswith("3.1")
    assert set(served["paths"]["/jobs"]) == {"get", "post"}
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(served)))
    assert references <= set(served["components"]["schemas"])


def test_the_dashboard_runs_under_a_policy_that_names_its_own_script_alone(api: Api) -> None:
    page = api.call("GET /dashboard")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = page.headers["Content-Security-Policy"]
    for tag in ("script", "style"):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    (icon,) = re.findall(
        r'<link rel="icon" type="image/svg\+xml" href="data:image/svg\+xml;base64,([^"]+)">', page.text
    )
    assert base64.b64decode(icon).startswith(b"<svg ")
    assert "img-src data:" in policy
    assert not re.search(r"\son\w+=|\sstyle=|<script[^>]+src|https?://", page.text)
