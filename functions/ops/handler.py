"""Lambda entry of the operators' API: health, the queue, alerts, users, the dashboard."""

from functions.ops.routes import alerts, health, jobs, overview, pages, users
from shared.http_api.entry import http_handler, new_resolver

OPEN_ROUTES = frozenset({"GET /livez", "GET /readyz", "GET /openapi.json", "GET /dashboard"})

app = new_resolver()
for concern in (health, overview, jobs, alerts, users, pages):
    app.include_router(concern.router)

handler = http_handler(app, open_routes=OPEN_ROUTES)
