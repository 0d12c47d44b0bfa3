"""Where the next page begins, as an opaque text: the time and id of the last row seen."""

import base64
import binascii
from datetime import UTC, datetime
from uuid import UUID

from shared.field_errors import FieldError
from shared.http_api.errors import invalid


def encode_cursor(created_at: datetime, row_id: UUID) -> str:
    """The cursor after that row."""
    return base64.urlsafe_b64encode(f"{created_at.isoformat()}|{row_id}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None) -> tuple[datetime, UUID] | None:
    """What `encode_cursor` was given; None for none. Raises the 422."""
    if not cursor:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        created_at, _, row_id = text.partition("|")
        return datetime.fromisoformat(created_at).astimezone(UTC), UUID(row_id)
    except (ValueError, binascii.Error):
        message = "Must be a `next` that a page came with"
        raise invalid([FieldError(field="cursor", rule="cursor", message=message)]) from None
