"""Lambda entry of the owners' API: places, their generation, jobs."""

from functions.enqueue.routes import generation, jobs, photos, places, session
from shared.http_api.entry import http_handler, new_resolver

OPEN_ROUTES = frozenset({"POST /session"})

app = new_resolver()
for resource in (session, jobs, places, photos, generation):
    app.include_router(resource.router)

handler = http_handler(app, open_routes=OPEN_ROUTES)
