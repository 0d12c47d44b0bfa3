"""An owner's places over HTTP: given, corrected, deleted, and nobody else's."""

import io
from typing import Any
from uuid import uuid4

import pytest
from PIL import Image

from tests.unit.api.conftest import Api

NOODLES: dict[str, Any] = {
    "name": "성수 국수집",
    "category": "한식당",
    "address": "서울 성동구 연무장길 12",
    "phone": "02-123-4567",
    "facts": {"menu": [{"name": "국수", "price_krw": 9000}], "parking_note": "건물 뒤"},
    "photos": ["https://shop.example/1.jpg"],
}
PLACE = "/places/{place_id}"


def confirmed(detail: dict[str, Any]) -> dict[str, Any]:
    return {fact["key"]: fact["value"] for fact in detail["facts"] if fact["confirmed"]}


def picture(kind: str = "JPEG", size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (200, 120, 40)).save(out, kind)
    return out.getvalue()


def test_a_place_is_given_and_what_its_owner_says_is_confirmed(api: Api, token: str) -> None:
    answer = api.call("POST /places", token=token, body=NOODLES)
    assert answer.status == 201, answer.text
    assert confirmed(answer.json) == {
        "name": "성수 국수집",
        "category": "Restaurant",
        "road_address": "서울특별시 성동구 연무장길 12",
        "phone": "+8221234567",
        "menu": [{"name": "국수", "price_krw": 9000, "note": None}],
        "parking_note": "건물 뒤",
    }
    assert [photo["source_url"] for photo in answer.json["photos"]] == ["https://shop.example/1.jpg"]
    assert answer.json["refreshes"] == []
    assert api.call("GET /places", token=token).json["places"][0]["place_id"] == answer.json["place_id"]


def test_the_same_place_again_is_the_same_place_with_the_new_facts_merged(api: Api, token: str) -> None:
    first = api.call("POST /places", token=token, body=NOODLES)
    again = api.call("POST /places", token=token, body={**NOODLES, "phone": "02-765-4321", "facts": {}})
    assert (again.status, again.json["place_id"]) == (200, first.json["place_id"])
    assert confirmed(again.json)["phone"] == "+8227654321"
    assert confirmed(again.json)["parking_note"] == "건물 뒤"
    assert len(again.json["photos"]) == 1


def test_two_owners_may_give_the_same_place_each_their_own(api: Api, token: str, stranger: str) -> None:
    mine, theirs = (api.call("POST /places", token=who, body=NOODLES) for who in (token, stranger))
    assert (mine.status, theirs.status) == (201, 201)
    assert mine.json["place_id"] != theirs.json["place_id"]


def test_every_error_of_an_intake_is_named_at_once(api: Api, token: str) -> None:
    body = {
        "name": " ",
        "category": "우주선",
        "phone": "12",
        "latitude": 37.5,
        "website": "ftp://shop.example",
        "business_number": "1234567890",
        "photos": ["/etc/passwd"],
        "plan": "gold",
        "facts": {"hours": 5},
    }
    fields = {field for field, _ in api.call("POST /places", token=token, body=body).fields}
    own = {"name", "category", "phone", "longitude", "website", "business_number", "photos.0", "plan"}
    assert fields == own | {"facts.hours"}


def test_facts_that_break_their_keys_rules_are_named(api: Api, token: str) -> None:
    facts = {"phone": "1", "Menu": "x", "note": 5, "menu": []}
    answer = api.call("POST /places", token=token, body={"name": "집", "facts": facts})
    assert {field for field, _ in answer.fields} == {"facts.phone", "facts.Menu", "facts.note", "facts.menu"}
    assert api.sql("SELECT * FROM places") == []


@pytest.mark.parametrize("raw", ["null", "[]", "5", '"x"'])
def test_a_body_that_is_no_object_is_said_to_be_none_without_our_names(
    api: Api, token: str, raw: str
) -> None:
    answer = api.call("POST /places", token=token, raw=raw)
    assert answer.status == 422
    (error,) = answer.json["error"]["details"]["fields"]
    assert (error["field"], error["message"]) == ("(document)", "Must be a JSON object")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("{", "invalid_json"),
        ('{"name": NaN}', "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        ("[" * 100_000, "invalid_json"),
        ('{"name": "a\\u0000b"}', "invalid"),
        ('{"name": "\\ud800"}', "invalid"),
        ("[1]", "invalid"),
        (None, "invalid"),
    ],
    ids=["cut", "NaN", "not UTF-8", "nested", "NUL", "surrogate", "list", "nothing"],
)
def test_a_body_that_cannot_be_read_or_kept_is_a_422(api: Api, token: str, raw: Any, code: str) -> None:
    answer = api.call("POST /places", token=token, raw=raw)
    assert (answer.status, answer.json["error"]["code"]) == (422, code)


def test_a_body_that_is_too_large_is_a_413_and_one_of_another_kind_a_415(api: Api, token: str) -> None:
    large = api.call("POST /places", token=token, body={"name": "x" * 1_100_000})
    assert (large.status, large.json["error"]["code"]) == (413, "too_large")
    other = api.call("POST /places", token=token, raw="name=x", content_type="text/csv")
    assert (other.status, other.json["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("route", "path"),
    [
        ("GET /places/{place_id}", "/places/{}"),
        ("PATCH /places/{place_id}", "/places/{}"),
        ("DELETE /places/{place_id}", "/places/{}"),
        ("POST /places/{place_id}/photos", "/places/{}/photos"),
        ("POST /places/{place_id}/generation", "/places/{}/generation"),
        ("GET /places/{place_id}/generation", "/places/{}/generation"),
        ("POST /places/{place_id}/generation/cancel", "/places/{}/generation/cancel"),
    ],
)
def test_somebody_elses_place_does_not_exist(
    api: Api, place_id: str, token: str, stranger: str, route: str, path: str
) -> None:
    api.call("POST /places/{place_id}/generation", f"/places/{place_id}/generation", token=token)
    theirs = api.call(route, path.format(place_id), token=stranger)
    nobodys = api.call(route, path.format(uuid4()), token=stranger)
    assert theirs.status == nobodys.status == 404
    assert theirs.json == nobodys.json
    assert (
        api.sql("SELECT count(*) AS n FROM jobs WHERE cancel_requested_at IS NOT NULL OR status <> 1")[0]["n"]
        == 0
    )


def test_the_list_has_ones_own_places_alone_and_an_administrator_sees_all(
    api: Api, place_id: str, stranger: str, admin: str
) -> None:
    assert api.call("GET /places", token=stranger).json == {"places": [], "next": None}
    assert [p["place_id"] for p in api.call("GET /places", token=admin).json["places"]] == [place_id]


def test_the_list_comes_in_pages(api: Api, token: str) -> None:
    made = [
        api.call("POST /places", token=token, body={"name": f"집 {n}"}).json["place_id"] for n in range(5)
    ]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = api.call("GET /places", token=token, query=query).json
        seen += [place["place_id"] for place in page["places"]]
        cursor = page["next"]
    assert seen == made[::-1]
    assert api.call("GET /places", token=token, query={"cursor": "x"}).fields == {("cursor", "cursor")}
    assert api.call("GET /places", token=token, query={"limit": "0"}).status == 422


def test_the_owner_corrects_confirms_and_rejects(api: Api, place_id: str, token: str) -> None:
    api.sql(
        "INSERT INTO facts (place_id, key, value, channel) VALUES ($1, 'hours', '{\"text\": \"11시\"}', 'kakao'),"
        " ($1, 'price_range', '\"만원대\"', 'kakao')",
        place_id,
    )
    facts = api.call(f"GET {PLACE}", f"/places/{place_id}", token=token).json["facts"]
    by_key = {fact["key"]: fact["fact_id"] for fact in facts}
    body = {
        "facts": {"phone": "02-765-4321"},
        "confirm": [by_key["price_range"]],
        "reject": [by_key["hours"]],
        "name": "성수 칼국수",
        "locale": "en",
        "aliases": ["성수국수"],
    }
    changed = api.call(f"PATCH {PLACE}", f"/places/{place_id}", token=token, body=body)
    assert changed.status == 200, changed.text
    assert confirmed(changed.json) == {"name": "성수 칼국수", "phone": "+8227654321", "price_range": "만원대"}
    assert [f["rejected"] for f in changed.json["facts"] if f["key"] == "hours"] == [True]
    assert (changed.json["name"], changed.json["locale"], changed.json["aliases"]) == (
        "성수 칼국수",
        "en",
        ["성수국수"],
    )


def say(api: Api, place_id: str, channel: str, key: str, value: str, **columns: str) -> str:
    """A statement of a channel a moment from now, as a later collection stores it; its id."""
    extra = "".join(f", {name}" for name in columns), "".join(f", {sql}" for sql in columns.values())
    (row,) = api.sql(
        f"INSERT INTO facts (place_id, key, value, channel, confidence{extra[0]})"
        f" VALUES ($1, $2, to_jsonb($3::text), $4, 0.5{extra[1]}) RETURNING fact_id",
        place_id,
        key,
        value,
        channel,
    )
    return str(row["fact_id"])


def test_a_value_of_several_sources_is_shown_once_with_all_of_them(
    api: Api, place_id: str, token: str
) -> None:
    for channel in ("kakao", "osm"):
        say(api, place_id, channel, "price_range", "만원대")
    facts = api.call(f"GET {PLACE}", f"/places/{place_id}", token=token).json["facts"]
    (fact,) = [fact for fact in facts if fact["key"] == "price_range"]
    assert (fact["channel"], [source["channel"] for source in fact["also_from"]]) == ("kakao", ["osm"])
    assert fact["confidence"] == 0.75
    body = {"reject": [fact["fact_id"]]}
    changed = api.call(f"PATCH {PLACE}", f"/places/{place_id}", token=token, body=body).json
    assert [f["rejected"] for f in changed["facts"] if f["key"] == "price_range"] == [True]


def test_a_proposal_is_shown_counted_and_settled(api: Api, place_id: str, token: str) -> None:
    path = f"/places/{place_id}"
    theirs = say(api, place_id, "kakao", "phone", "+8227654321")

    def waiting() -> tuple[int, list[str]]:
        (listed,) = api.call("GET /places", token=token).json["places"]
        detail = api.call(f"GET {PLACE}", path, token=token).json
        assert listed["waiting"] == detail["waiting"] == len(detail["proposals"])
        return detail["waiting"], detail["conflicts"]

    detail = api.call(f"GET {PLACE}", path, token=token).json
    (proposal,) = detail["proposals"]
    standing = next(fact for fact in detail["facts"] if fact["key"] == "phone" and fact["confirmed"])
    assert {key: proposal[key] for key in proposal if key != "since"} == {
        "key": "phone",
        "kind": "changed",
        "fact_id": standing["fact_id"],
        "proposed": theirs,
        "channel": "kakao",
    }
    assert waiting() == (1, ["phone"])
    kept = api.call(f"PATCH {PLACE}", path, token=token, body={"confirm": [standing["fact_id"]]})
    assert (kept.json["proposals"], confirmed(kept.json)["phone"]) == ([], "+8221234567")
    assert waiting() == (0, ["phone"])
    taken = api.call(f"PATCH {PLACE}", path, token=token, body={"confirm": [theirs]})
    assert (taken.json["proposals"], confirmed(taken.json)["phone"]) == ([], "+8227654321")
    assert waiting() == (0, [])


def test_what_a_website_says_no_more_stays_until_its_owner_decides(
    api: Api, place_id: str, token: str
) -> None:
    path = f"/places/{place_id}"
    gone = say(
        api,
        place_id,
        "website",
        "price_range",
        "만원대",
        confirmed="true",
        confirmed_by="'website'",
        confirmed_at="now()",
        missing_since="now()",
    )
    detail = api.call(f"GET {PLACE}", path, token=token).json
    assert [(p["kind"], p["fact_id"], p["proposed"]) for p in detail["proposals"]] == [
        ("vanished", gone, None)
    ]
    assert [f["missing_since"] is None for f in detail["facts"] if f["key"] == "price_range"] == [False]
    rejected = api.call(f"PATCH {PLACE}", path, token=token, body={"reject": [gone]}).json
    assert (rejected["proposals"], "price_range" in confirmed(rejected)) == ([], False)


def test_a_change_is_made_whole_or_not_at_all(api: Api, place_id: str, token: str) -> None:
    body = {"facts": {"phone": "02-765-4321"}, "confirm": [str(uuid4())]}
    answer = api.call(f"PATCH {PLACE}", f"/places/{place_id}", token=token, body=body)
    assert answer.status == 404
    assert (
        confirmed(api.call(f"GET {PLACE}", f"/places/{place_id}", token=token).json)["phone"] == "+8221234567"
    )


def test_a_change_of_what_a_generated_page_shows_is_followed_by_copy_and_build(
    api: Api, place_id: str, token: str
) -> None:
    path = f"/places/{place_id}"
    before = api.call(f"PATCH {PLACE}", path, token=token, body={"facts": {"phone": "02-765-4321"}})
    assert before.json["refreshes"] == []
    api.call("POST /places/{place_id}/generation", f"{path}/generation", token=token)
    woken = len(api.invokes)
    api.sql("UPDATE beats SET woken_at = NULL")
    after = api.call(f"PATCH {PLACE}", path, token=token, body={"facts": {"phone": "02-123-4567"}})
    keys = api.sql(
        "SELECT dedupe_key, waiting_on FROM jobs WHERE job_id = ANY ($1::uuid[])", after.json["refreshes"]
    )
    assert {(row["dedupe_key"], row["waiting_on"]) for row in keys} == {
        (f"COPY:{place_id}", 0),
        (f"BUILD:{place_id}", 1),
    }
    assert len(api.invokes) == woken + 1
    same = api.call(f"PATCH {PLACE}", path, token=token, body={"facts": {"phone": "02-123-4567"}})
    assert same.json["refreshes"] == []
    assert same.json["facts_version"] == after.json["facts_version"]


def test_deleting_cancels_the_jobs_and_takes_the_page_down(api: Api, place_id: str, token: str) -> None:
    path = f"/places/{place_id}"
    api.call("POST /places/{place_id}/generation", f"{path}/generation", token=token)
    assert api.call(f"DELETE {PLACE}", path, token=token).status == 204
    rows = api.sql(
        "SELECT status, payload::text FROM jobs WHERE place_id = $1 AND status IN (1, 2)", place_id
    )
    assert [(row["status"], row["payload"]) for row in rows] == [(1, '{"unpublish": true}')]
    assert api.sql("SELECT count(*) AS n FROM alert_outbox")[0]["n"] == 0
    assert api.call(f"GET {PLACE}", path, token=token).status == 404
    assert api.call(f"DELETE {PLACE}", path, token=token).status == 404


def test_taking_a_page_down_waits_for_a_build_that_still_runs(api: Api, place_id: str, token: str) -> None:
    running = api.sql(
        "INSERT INTO jobs (place_id, job_type, status, attempts, worker_id, lease_until, claimed_at)"
        " VALUES ($1, 4, 2, 1, gen_random_uuid(), now() + interval '1 minute', now()) RETURNING job_id",
        place_id,
    )[0]["job_id"]
    api.call(f"DELETE {PLACE}", f"/places/{place_id}", token=token)
    edges = api.sql("SELECT depends_on, required FROM job_dependencies")
    assert [(row["depends_on"], row["required"]) for row in edges] == [(running, False)]


def test_photos_come_by_address_and_by_upload_each_once(api: Api, place_id: str, token: str) -> None:
    route, path = "POST /places/{place_id}/photos", f"/places/{place_id}/photos"
    urls = {
        "urls": ["https://shop.example/1.jpg", "https://shop.example/2.jpg", "https://shop.example/1.jpg"]
    }
    added = api.call(route, path, token=token, body=urls)
    assert (added.status, len(added.json["photos"]), added.json["jobs"]) == (201, 2, [])
    again = api.call(route, path, token=token, body=urls)
    assert (again.status, again.json["known"]) == (200, 2)
    upload = api.call(route, path, token=token, raw=picture(), content_type="image/jpeg")
    assert upload.status == 201, upload.text
    photo = upload.json["photos"][0]
    assert (photo["fetched"], photo["width"], photo["height"], photo["confirmed"]) == (True, 40, 30, True)
    assert api.call(route, path, token=token, raw=picture(), content_type="image/jpeg").status == 200


@pytest.mark.parametrize(
    ("raw", "content_type", "status"),
    [
        (b"not a picture", "image/jpeg", 422),
        (picture("PNG"), "image/jpeg", 422),
        (picture(), "image/svg+xml", 415),
        (picture(), "text/html", 415),
        (b"x" * (10 * 1024 * 1024 + 1), "image/jpeg", 413),
    ],
    ids=["no picture", "another kind", "svg", "html", "too large"],
)
def test_an_upload_that_is_no_photo_is_refused(
    api: Api, place_id: str, token: str, raw: bytes, content_type: str, status: int
) -> None:
    path = f"/places/{place_id}/photos"
    answer = api.call("POST /places/{place_id}/photos", path, token=token, raw=raw, content_type=content_type)
    assert answer.status == status, answer.text
    assert api.sql("SELECT * FROM photos") == []


def test_addresses_that_are_none_are_named(api: Api, place_id: str, token: str) -> None:
    body = {"urls": ["https://shop.example/1.jpg", "photos/1.jpg", "http://u:p@shop.example/"]}
    answer = api.call("POST /places/{place_id}/photos", f"/places/{place_id}/photos", token=token, body=body)
    assert answer.fields == {("urls.1", "url_http"), ("urls.2", "url_plain")}


def test_a_photo_of_a_generated_place_is_looked_at_and_published(api: Api, place_id: str, token: str) -> None:
    api.call("POST /places/{place_id}/generation", f"/places/{place_id}/generation", token=token)
    route, path = "POST /places/{place_id}/photos", f"/places/{place_id}/photos"
    jobs = api.call(route, path, token=token, raw=picture(), content_type="image/jpeg").json["jobs"]
    rows = api.sql("SELECT dedupe_key FROM jobs WHERE job_id = ANY ($1::uuid[]) ORDER BY job_type", jobs)
    # The generation's own VISION waits still: it will see the photo.
    assert [row["dedupe_key"].rpartition(":")[0] for row in rows] == [f"VISION:{place_id}"]
