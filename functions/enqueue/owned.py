"""A member's own things; others' do not exist for them."""

from uuid import UUID

from shared.db import Connection
from shared.http_api.auth import current_user
from shared.http_api.errors import not_found
from shared.jobs import queue
from shared.jobs.models import Job
from shared.places import repository
from shared.places.models import Place


async def own_place(conn: Connection, place_id: UUID) -> Place:
    """The caller's place, anybody's for an administrator. Raises the 404."""
    user = current_user()
    place = await repository.get_place(conn, place_id)
    if place is None or not (user.is_admin or place.owner_id == user.user_id):
        raise not_found("place")
    return place


async def own_job(conn: Connection, job_id: UUID) -> Job:
    """A job of the caller's places, any for an administrator. Raises the 404."""
    user = current_user()
    job = await queue.get(conn, job_id)
    if job is None:
        raise not_found("job")
    if not user.is_admin:
        place = None if job.place_id is None else await repository.get_place(conn, job.place_id)
        if place is None or place.owner_id != user.user_id:
            raise not_found("job")
    return job
