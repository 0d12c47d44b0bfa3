"""Putting a place's page where readers are, so that whatever dies in between, they see a whole page.

The order is the guarantee. Assets never change under a name and are written first; then each document is replaced,
the second language before the main page that links to it; then `manifest.json`; last, assets that no page has named
for a day are removed. A reader of either document therefore always finds everything it names:

| killed                    | what stands                                                                       |
|---------------------------|-----------------------------------------------------------------------------------|
| while assets are written  | the old page whole, and new assets that nothing names yet                         |
| between the two documents | one language new, one old, each whole: its assets, old or new, are all there      |
| before the manifest       | the new page whole; the next build finds it as it is and writes the manifest      |
| while assets are removed  | the new page whole; what is left is removed by a later build                      |

One writer a place at a time: the caller holds the target's lock of the slug throughout.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel, ValidationError

from functions.build.target import SiteTarget

MANIFEST = "manifest.json"
ASSETS = "assets/"
# A document fetched before the change may ask for its pictures as long as caches and open tabs keep it.
GRACE = timedelta(hours=24)


class Manifest(BaseModel):
    """What a place's folder holds. Documents by path with their SHA-256; assets by path; retired assets with since when."""

    format: int = 1
    content: str
    pages: dict[str, str]
    assets: list[str]
    retired: dict[str, datetime] = {}


@dataclass(frozen=True)
class Published:
    """What a publishing did: how many files it wrote, how many it removed, and what stands now."""

    written: int
    removed: int
    files: int
    bytes: int


def content_hash(substance: Mapping[str, bytes]) -> str:
    """One hash of documents by path."""
    digest = hashlib.sha256()
    for path, data in sorted(substance.items()):
        digest.update(path.encode() + b"\0" + hashlib.sha256(data).digest())
    return digest.hexdigest()


def standing_assets(target: SiteTarget, slug: str) -> frozenset[str]:
    """Names of the assets that are there already, whole: a file only ever appears when all of it is written."""
    return frozenset(path.removeprefix(ASSETS) for path in target.sizes(slug) if path.startswith(ASSETS))


def publish(
    target: SiteTarget,
    slug: str,
    pages: Mapping[str, bytes],
    assets: frozenset[str],
    content: str,
    now: datetime,
) -> Published:
    """Replace the documents, then the manifest, then clear away. What is there already is not written again.

    `pages` are in the order in which they are replaced; `assets` are the names they use, put before this call.
    `now` is the database's time.
    """
    written = sum(_put(target, f"{slug}/{path}", data) for path, data in pages.items())
    old = read_manifest(target, slug)
    there = target.sizes(slug)
    used = {ASSETS + name for name in assets}
    unused = [path for path in there if path.startswith(ASSETS) and path not in used]
    since = {path: now if old is None else old.retired.get(path, now) for path in unused}
    expired = [path for path, moment in since.items() if now - moment >= GRACE]
    manifest = Manifest(
        content=content,
        pages={path: hashlib.sha256(data).hexdigest() for path, data in sorted(pages.items())},
        assets=sorted(used),
        retired={path: moment for path, moment in sorted(since.items()) if path not in expired},
    )
    written += _put(target, f"{slug}/{MANIFEST}", _bytes(manifest))
    stale = [path for path in there if path.endswith(".html") and path not in pages]
    for path in (*stale, *expired):
        target.delete(f"{slug}/{path}")
    stands = {**there, **{path: len(data) for path, data in pages.items()}}
    sizes = [size for path, size in stands.items() if path in pages or path in used]
    return Published(written, len(stale) + len(expired), len(sizes), sum(sizes))


def unpublish(target: SiteTarget, slug: str) -> int:
    """Remove everything of the place, documents first, so that no page ever stands without its pictures."""
    paths = sorted(target.sizes(slug), key=lambda path: (not path.endswith(".html"), path.count("/"), path))
    for path in paths:
        target.delete(f"{slug}/{path}")
    return len(paths)


def read_manifest(target: SiteTarget, slug: str) -> Manifest | None:
    """The manifest that stands; None when there is none, or none that can be read."""
    data = target.read(f"{slug}/{MANIFEST}")
    if data is None:
        return None
    try:
        return Manifest.model_validate_json(data)
    except ValidationError:
        return None


def _put(target: SiteTarget, path: str, data: bytes) -> int:
    if target.read(path) == data:
        return 0
    target.replace(path, data)
    return 1


def _bytes(manifest: Manifest) -> bytes:
    text = json.dumps(manifest.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True)
    return (text + "\n").encode()
