"""Places in PostgreSQL. Every function takes an asyncpg connection first; writers are called inside a transaction.

Lock order: jobs, then the place, then what belongs to it.
"""

from shared.places.repository.ai_checks import list_ai_checks, save_ai_checks
from shared.places.repository.copies import current_copy, save_copy
from shared.places.repository.facts import (
    all_facts,
    confirmed_facts,
    decide_facts,
    proposals,
    proposals_of,
    record_facts,
    statements,
)
from shared.places.repository.ledger import UnknownFactError
from shared.places.repository.photos import (
    add_photo,
    list_photos,
    next_photo_position,
    save_photo_descriptions,
    save_photo_fetch,
    save_photo_problem,
    save_photo_vision,
)
from shared.places.repository.places import (
    PlaceGoneError,
    bump_page,
    find_or_create_place,
    get_place,
    list_places,
    lock_place,
    mark_deleted,
    update_place,
    was_generated,
)
from shared.places.repository.sites import (
    count_sites,
    get_site,
    published_sites,
    reserve_slug,
    save_site,
    save_site_missing,
    save_site_unpublished,
    sites_of,
)
from shared.places.repository.usage import record_usage

__all__ = [
    "PlaceGoneError",
    "UnknownFactError",
    "add_photo",
    "all_facts",
    "bump_page",
    "confirmed_facts",
    "count_sites",
    "current_copy",
    "decide_facts",
    "find_or_create_place",
    "get_place",
    "get_site",
    "list_ai_checks",
    "list_photos",
    "list_places",
    "lock_place",
    "mark_deleted",
    "next_photo_position",
    "proposals",
    "proposals_of",
    "published_sites",
    "record_facts",
    "record_usage",
    "reserve_slug",
    "save_ai_checks",
    "save_copy",
    "save_photo_descriptions",
    "save_photo_fetch",
    "save_photo_problem",
    "save_photo_vision",
    "save_site",
    "save_site_missing",
    "save_site_unpublished",
    "sites_of",
    "statements",
    "update_place",
    "was_generated",
]
