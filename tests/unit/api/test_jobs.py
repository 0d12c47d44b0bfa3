"""Single jobs over HTTP, by their owner and by the operator."""

from typing import Any
from uuid import uuid4

import pytest

from shared.jobs import queue
from tests.unit.api.conftest import Answer, Api

JOB = "/jobs/{job_id}"


def enqueue(api: Api, token: str, **body: Any) -> Answer:
    return api.call("POST /jobs", token=token, body=body)


def kill(api: Api, job_id: str) -> None:
    api.sql(
        "UPDATE jobs SET status = 4, last_error = 'Boom: it broke', finished_at = now() WHERE job_id = $1",
        job_id,
    )


def test_a_job_is_enqueued_once_and_the_active_one_is_answered(api: Api, place_id: str, token: str) -> None:
    made = enqueue(api, token, job_type="COPY", place_id=place_id)
    assert (made.status, made.json["status"], made.json["job_type"]) == (201, "PENDING", "COPY")
    assert api.invokes == [("test-claimer", {"source": "wake"})]
    again = enqueue(api, token, job_type="copy", place_id=place_id)
    assert (again.status, again.json["job_id"]) == (200, made.json["job_id"])
    other = enqueue(api, token, job_type="COPY", place_id=place_id, dedupe_key="tonight")
    assert other.status == 201


def test_a_job_tells_status_by_name_progress_result_and_error(api: Api, place_id: str, token: str) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    kill(api, job_id)
    job = api.call(f"GET {JOB}", f"/jobs/{job_id}", token=token).json
    assert (job["status"], job["error"], job["result"], job["progress"]) == (
        "DEAD",
        "Boom: it broke",
        None,
        None,
    )


def test_a_job_is_shown_whole_with_its_payload_its_attempts_and_what_it_waits_on(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    """As somebody finds it at night: a page's job that waits on others, the first of which failed once."""
    made = api.call("POST /places/{place_id}/generation", f"/places/{place_id}/generation", token=token).json
    steps = {step["job_type"]: step["job_id"] for step in made["steps"]}

    async def fail_once(conn: Any) -> None:
        (claim,) = await queue.claim(conn, 1, 60)
        await queue.start(conn, [claim.ref], "invocation-1", 60)
        await queue.fail(conn, claim.ref, RuntimeError("the site is closed"))

    api.with_connection(fail_once)
    collect = api.call(f"GET {JOB}", f"/jobs/{steps['COLLECT']}", token=token).json
    (attempt,) = collect["attempt_history"]
    assert (attempt["attempt"], attempt["outcome"], attempt["invocation_id"]) == (1, "failed", "invocation-1")
    assert attempt["error"] == collect["error"] == "RuntimeError: the site is closed"
    assert attempt["started_at"] < attempt["ended_at"]
    assert (collect["depends_on"], collect["waiting_on"], collect["payload"]) == ([], 0, {})

    api.sql("UPDATE jobs SET payload = '{\"facts_version\": 7}' WHERE job_id = $1", steps["BUILD"])
    build = api.call(f"GET {JOB}", f"/jobs/{steps['BUILD']}", token=admin).json
    assert (build["payload"], build["waiting_on"], build["attempt_history"]) == ({"facts_version": 7}, 3, [])
    assert build["depends_on"] == [
        {"job_id": steps[name], "job_type": name, "status": "PENDING", "required": False}
        for name in ("COLLECT", "VISION", "COPY")
    ]
    check = api.call(f"GET {JOB}", f"/jobs/{steps['AI_CHECK']}", token=admin).json
    assert [(on["job_id"], on["required"]) for on in check["depends_on"]] == [(steps["BUILD"], True)]
    api.sql("DELETE FROM jobs WHERE job_id = $1", steps["BUILD"])
    check = api.call(f"GET {JOB}", f"/jobs/{steps['AI_CHECK']}", token=admin).json
    assert check["depends_on"] == [
        {"job_id": steps["BUILD"], "job_type": None, "status": None, "required": True}
    ]

    listed = api.call("GET /jobs", token=admin).json["jobs"]
    assert not {"payload", "attempt_history", "depends_on"} & set().union(*listed)


def test_a_row_put_in_by_hand_is_shown_as_it_is(api: Api, admin: str) -> None:
    (row,) = api.sql("INSERT INTO jobs (job_type, payload) VALUES (-7, '[1]') RETURNING job_id")
    job = api.call(f"GET {JOB}", f"/jobs/{row['job_id']}", token=admin).json
    assert (job["job_type"], job["payload"]) == ("-7", [1])


@pytest.mark.parametrize("job_type", ["COLLECT", "VISION", "COPY", "BUILD", "AI_CHECK"])
def test_the_products_work_without_a_place_is_refused_the_operator_too(
    api: Api, admin: str, job_type: str
) -> None:
    assert enqueue(api, admin, job_type=job_type).fields == {("place_id", "required")}
    assert api.sql("SELECT * FROM jobs") == []


def test_somebody_elses_job_does_not_exist(
    api: Api, place_id: str, token: str, stranger: str, admin: str
) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    theirs = api.call(f"GET {JOB}", f"/jobs/{job_id}", token=stranger)
    nobodys = api.call(f"GET {JOB}", f"/jobs/{uuid4()}", token=stranger)
    assert theirs.status == nobodys.status == 404
    assert theirs.json == nobodys.json
    assert enqueue(api, stranger, job_type="COPY", place_id=place_id).status == 404
    assert api.call(f"GET {JOB}", f"/jobs/{job_id}", token=admin).status == 200


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"job_type": "MINE"}, {"job_type"}),
        ({}, {"job_type"}),
        ({"job_type": "COPY", "payload": {"surprise": 1}}, {"payload"}),
        ({"job_type": "COPY", "payload": {"facts_version": "x" * 300_000}}, {"payload"}),
        ({"job_type": "COPY", "priority": -1, "delay": -1, "now": True}, {"priority", "delay", "now"}),
        ({"job_type": "COPY", "priority": 1}, {"priority"}),
        ({"job_type": "COPY", "place_id": "x"}, {"place_id"}),
        ({"job_type": "COPY", "place_id": None}, {"place_id"}),
    ],
)
def test_a_job_that_breaks_rules_is_refused_with_each_field_named(
    api: Api, place_id: str, token: str, body: dict[str, Any], fields: set[str]
) -> None:
    answer = enqueue(api, token, **{"place_id": place_id, **body})
    assert {field for field, _ in answer.fields} == fields
    assert api.sql("SELECT * FROM jobs") == []


def test_the_operators_list_is_filtered_and_comes_in_pages(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    for job_type in ("COPY", "BUILD", "COLLECT"):
        enqueue(api, token, job_type=job_type, place_id=place_id)
    kill(api, enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"])
    assert api.call("GET /jobs", token=token).status == 403

    def types(**query: str) -> list[str]:
        return [job["job_type"] for job in api.call("GET /jobs", token=admin, query=query).json["jobs"]]

    assert types() == ["COLLECT", "BUILD", "COPY"]
    assert types(status="DEAD") == ["COPY"]
    assert types(job_type="BUILD") == ["BUILD"]
    assert types(place_id=str(uuid4())) == []
    page = api.call("GET /jobs", token=admin, query={"limit": "2"}).json
    assert [job["job_type"] for job in page["jobs"]] == ["COLLECT", "BUILD"]
    assert types(cursor=page["next"]) == ["COPY"]
    assert api.call("GET /jobs", token=admin, query={"status": "LOST"}).fields == {("status", "enum")}


def test_a_dead_job_is_requeued_and_the_claimer_woken(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    route, path = f"POST {JOB}/requeue", f"/jobs/{job_id}/requeue"
    refused = api.call(route, path, token=admin)
    assert (refused.status, refused.json["error"]["code"]) == (409, "not_dead")
    kill(api, job_id)
    api.sql("UPDATE beats SET woken_at = NULL")
    requeued = api.call(route, path, token=admin)
    assert (requeued.status, requeued.json["job"]["status"], requeued.json["job"]["error"]) == (
        200,
        "PENDING",
        None,
    )
    assert len(api.invokes) == 2
    assert api.call(route, f"/jobs/{uuid4()}/requeue", token=admin).status == 404
    assert api.call(route, path, token=token).status == 403


def test_a_dead_job_is_acknowledged_once_and_keeps_its_time(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    route, path = f"POST {JOB}/acknowledge", f"/jobs/{job_id}/acknowledge"
    refused = api.call(route, path, token=admin)
    assert (refused.status, refused.json["error"]["code"]) == (409, "not_dead")
    kill(api, job_id)
    assert api.call(route, path, token=token).status == 403
    assert api.sql("SELECT acknowledged_at FROM jobs")[0]["acknowledged_at"] is None
    seen = api.call(route, path, token=admin)
    assert (seen.status, seen.json["job_id"], seen.json["status"]) == (200, job_id, "DEAD")
    assert seen.json["acknowledged_at"] is not None
    assert api.call(route, path, token=admin).json == seen.json
    assert api.call(route, f"/jobs/{uuid4()}/acknowledge", token=admin).status == 404


def test_a_requeue_that_another_job_stands_in_the_way_of_names_it(
    api: Api, place_id: str, token: str, admin: str
) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    kill(api, job_id)
    other = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    answer = api.call(f"POST {JOB}/requeue", f"/jobs/{job_id}/requeue", token=admin)
    assert (answer.status, answer.json["error"]["code"]) == (409, "job_conflict")
    assert answer.json["error"]["details"] == {"job_id": other}


def test_a_job_is_cancelled_but_not_one_that_is_over(api: Api, place_id: str, token: str, admin: str) -> None:
    job_id = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    route, path = f"POST {JOB}/cancel", f"/jobs/{job_id}/cancel"
    assert api.call(route, path, token=token).status == 403
    assert api.call(route, path, token=admin).json["status"] == "CANCELLED"
    other = enqueue(api, token, job_type="COPY", place_id=place_id).json["job_id"]
    kill(api, other)
    assert api.call(route, f"/jobs/{other}/cancel", token=admin).json["error"]["code"] == "already_over"
    assert api.call(route, f"/jobs/{uuid4()}/cancel", token=admin).status == 404
