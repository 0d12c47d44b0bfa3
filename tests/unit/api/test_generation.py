"""A generation over HTTP: started once, followed by its real jobs, stopped."""

from typing import Any

from tests.unit.api.conftest import Answer, Api

ROUTE = "/places/{place_id}/generation"


def generation(api: Api, method: str, place_id: str, token: str, more: str = "") -> Answer:
    return api.call(f"{method} {ROUTE}{more}", f"/places/{place_id}/generation{more}", token=token)


def end(api: Api, job_id: str) -> None:
    api.sql(
        "UPDATE jobs SET status = 3, result = '{}', finished_at = now(), waiting_on = 0 WHERE job_id = $1",
        job_id,
    )


def test_a_generation_starts_once_and_the_claimer_is_woken(api: Api, place_id: str, token: str) -> None:
    started = generation(api, "POST", place_id, token)
    assert started.status == 202
    assert [step["job_type"] for step in started.json["steps"]] == [
        "COLLECT",
        "VISION",
        "COPY",
        "BUILD",
        "AI_CHECK",
    ]
    assert {step["status"] for step in started.json["steps"]} == {"PENDING"}
    assert api.invokes == [("test-claimer", {"source": "wake"})]
    again = generation(api, "POST", place_id, token)
    assert (again.status, again.json["graph_id"]) == (200, started.json["graph_id"])
    assert api.sql("SELECT count(*) AS n FROM jobs")[0]["n"] == 5


def test_progress_comes_from_the_jobs_themselves(api: Api, place_id: str, token: str) -> None:
    steps: list[dict[str, Any]] = generation(api, "POST", place_id, token).json["steps"]
    assert generation(api, "GET", place_id, token).json["percent"] == 0
    end(api, steps[0]["job_id"])
    assert generation(api, "GET", place_id, token).json["percent"] == 20
    api.sql(
        "UPDATE jobs SET status = 2, attempts = 1, worker_id = gen_random_uuid(), lease_until = now() + interval '1 min',"
        ' claimed_at = now(), waiting_on = 0, progress = \'{"step": "photos", "done": 1, "total": 2}\' WHERE job_id = $1',
        steps[1]["job_id"],
    )
    seen = generation(api, "GET", place_id, token).json
    assert (seen["percent"], seen["active"]) == (30, True)
    assert seen["steps"][1]["progress"] == {"step": "photos", "done": 1, "total": 2}
    for step in steps[1:]:
        api.sql(
            "UPDATE jobs SET worker_id = NULL, lease_until = NULL WHERE job_id = $1 AND status = 9",
            step["job_id"],
        )
        api.sql(
            "UPDATE jobs SET status = 4, last_error = 'Boom: it broke', worker_id = NULL, lease_until = NULL,"
            " finished_at = now() WHERE job_id = $1",
            step["job_id"],
        )
    over = generation(api, "GET", place_id, token).json
    assert (over["percent"], over["active"]) == (100, False)
    assert {step["error"] for step in over["steps"][1:]} == {"Boom: it broke"}


def test_a_place_never_generated_has_no_generation(api: Api, place_id: str, token: str) -> None:
    assert generation(api, "GET", place_id, token).status == 404
    assert generation(api, "POST", place_id, token, "/cancel").status == 404


def test_a_generation_is_stopped(api: Api, place_id: str, token: str) -> None:
    generation(api, "POST", place_id, token)
    stopped = generation(api, "POST", place_id, token, "/cancel")
    assert (stopped.status, stopped.json["active"]) == (200, False)
    assert {step["status"] for step in stopped.json["steps"]} == {"CANCELLED"}
    assert generation(api, "POST", place_id, token).status == 202
