"""Onboards a place through the HTTP API and follows its generation to the end."""

import asyncio
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emulator.cli.client import Api
from emulator.cli.output import Failure, Output
from shared.places.intake import IntakeError, parse_intake
from shared.places.media import MediaError, inspect

POLL_SECONDS = 0.3
STALLED_SECONDS = 900.0  # beyond every job's deadline


@dataclass(frozen=True)
class PhotoFile:
    """A picture on disk that the API would take, and its type as its bytes say."""

    path: Path
    content_type: str


@dataclass(frozen=True)
class IntakeFile:
    """A checked intake: the object as the API takes it, and the photos that lie beside the file."""

    place: dict[str, Any]
    photos: list[PhotoFile] = field(default_factory=list)


def read_intake(path: Path, **changes: Any) -> IntakeFile:
    """Read and check an intake file. Raises `Failure` with exit code 2 naming every error; nothing has been sent then."""
    try:
        place = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", code=2) from None
    except (ValueError, RecursionError) as error:
        raise Failure(f"{path} is not JSON: {error}", code=2) from None
    if isinstance(place, dict):
        place.update(changes)
    try:
        intake = parse_intake(place, allow_paths=True)
    except IntakeError as error:
        raise _refusal(path, [e.model_dump() for e in error.errors]) from None
    photos, errors = [], []
    for index, photo in enumerate(intake.photos):
        if "://" not in photo:
            try:
                photos.append(_photo(path.parent / photo))
            except MediaError as error:
                errors.append(
                    {"field": f"photos.{index}", "rule": error.rule, "message": f"{photo}: {error}"}
                )
            except OSError as error:
                message = f"{photo[:200]}: {error.strerror}"
                errors.append({"field": f"photos.{index}", "rule": "must_be_readable", "message": message})
    if errors:
        raise _refusal(path, errors)
    place = {**place, "photos": [photo for photo in intake.photos if "://" in photo]}
    return IntakeFile(place, photos)


def _photo(file: Path) -> PhotoFile:
    return PhotoFile(file, inspect(file.read_bytes()).content_type)


def _refusal(path: Path, errors: list[dict[str, Any]]) -> Failure:
    lines = "\n".join(f"  {error['field']}: {error['message']}" for error in errors)
    return Failure(
        f"{path} has {len(errors)} error(s), nothing was enqueued\n{lines}", code=2, details=errors
    )


async def onboard(api: Api, intake: IntakeFile, site_dir: Path | None, out: Output) -> dict[str, Any]:
    """The contract's document: place, site, jobs, seconds. Raises `Failure` when the page was not made."""
    began = time.monotonic()
    # A place, a photo and a generation are found again by what they are: these calls may be repeated.
    place = await api.call("POST", "/places", again=True, json=intake.place)
    place_id = place["place_id"]
    out.say(f"place {place_id}: {place['name']}")
    for photo in intake.photos:
        await api.call(
            "POST",
            f"/places/{place_id}/photos",
            again=True,
            content=photo.path.read_bytes(),
            headers={"content-type": photo.content_type},
        )
    if intake.photos:
        out.say(f"{len(intake.photos)} photos uploaded")
    await api.call("POST", f"/places/{place_id}/generation", again=True)
    generation = await _follow(api, place_id, out)
    jobs = [await api.call("GET", f"/jobs/{step['job_id']}") for step in generation["steps"]]
    document = {
        "place_id": place_id,
        "site": _site(jobs, site_dir),
        "jobs": [{**{name: job[name] for name in _JOB_FIELDS}, "last_error": job["error"]} for job in jobs],
        "elapsed_s": round(time.monotonic() - began, 1),
    }
    return document


_JOB_FIELDS = ("job_id", "job_type", "status", "attempts", "result")


async def _follow(api: Api, place_id: str, out: Output) -> dict[str, Any]:
    """Say each step's changes until the generation is over."""
    said: dict[str, str] = {}
    moved = time.monotonic()
    while True:
        generation: dict[str, Any] = await api.call("GET", f"/places/{place_id}/generation")
        for step in generation["steps"]:
            now = _step_line(step)
            if said.get(step["job_id"]) != now:
                said[step["job_id"]] = now
                moved = time.monotonic()
                if step["status"] != "PENDING":
                    out.say(f"{generation['percent']:>4}%  {now}", style=_STYLES.get(step["status"], ""))
        if not generation["active"]:
            return generation
        if time.monotonic() - moved > STALLED_SECONDS:
            raise Failure(f"nothing has moved for {STALLED_SECONDS:g} s: look at `ops` and at the logs")
        await asyncio.sleep(POLL_SECONDS)


_STYLES = {"DONE": "green", "DEAD": "red", "CANCELLED": "yellow", "RUNNING": "cyan"}


def _step_line(step: dict[str, Any]) -> str:
    line = f"{step['job_type']:<9} {step['status'].lower():<9}"
    progress = step.get("progress") or {}
    if step["status"] == "RUNNING" and progress:
        counted = f" {progress['done']} of {progress['total']}" if "total" in progress else ""
        line += f" {progress.get('step', '')}{counted}"
    elif step["status"] == "DONE":
        line += f" {_gist(step.get('result') or {})}"
    elif step.get("error"):
        line += f" {step['error']}"
    return line.rstrip()


def _gist(result: dict[str, Any]) -> str:
    """What of a result a person wants to see passing by."""
    said = []
    channels = result.get("channels") or {}
    asked = {name: told for name, told in channels.items() if told.get("outcome") != "skipped"}
    for name, told in asked.items():
        code = f" ({told['code']})" if told.get("code") else ""
        said.append(f"{name} {told.get('outcome')}{code}")
    if len(asked) < len(channels):
        said.append(f"{len(channels) - len(asked)} channels not asked")
    for name in ("facts", "photos", "mode", "reason", "published", "changed", "skipped", "missing"):
        if name in result and result[name] is not None:
            said.append(f"{name} {_word(result[name])}")
    return ", ".join(said)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _site(jobs: list[dict[str, Any]], site_dir: Path | None) -> dict[str, Any]:
    built = next((job for job in jobs if job["job_type"] == "BUILD"), None)
    result = (built or {}).get("result") or {}
    if not result.get("published"):
        return {"path": None, "url": None}
    path = site_dir / result["slug"] / "index.html" if site_dir else None
    return {"path": str(path) if path else None, "url": result.get("url")}


def verdict(document: dict[str, Any]) -> str | None:
    """Why an onboarding is no success, or None."""
    unfinished = [f"{job['job_type']} {job['status']}" for job in document["jobs"] if job["status"] != "DONE"]
    if unfinished:
        return "not every job is DONE: " + ", ".join(unfinished)
    if document["site"]["url"] is None:
        built = next(job for job in document["jobs"] if job["job_type"] == "BUILD")
        result = built["result"] or {}
        if result.get("missing"):
            return "no page yet: the place waits for its owner, missing " + ", ".join(result["missing"])
        return f"no page was published: {json.dumps(result, ensure_ascii=False)}"
    return None
