"""How the HTTP API answers browsers of other origins, by the template's CORS settings."""

from collections.abc import Mapping

from emulator.template import Cors


def preflight(cors: Cors, headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Headers of a preflight's answer; without the allowing ones where the template does not allow it."""
    answer = actual_headers(cors, headers["origin"])
    if answer:
        methods = ",".join(cors.methods) or "GET"
        answer.append(("access-control-allow-methods", methods))
        if cors.headers:
            answer.append(("access-control-allow-headers", ",".join(cors.headers)))
        if cors.max_age_s is not None:
            answer.append(("access-control-max-age", str(cors.max_age_s)))
    return answer


def actual_headers(cors: Cors, origin: str) -> list[tuple[str, str]]:
    """Headers to add to every answer to `origin`."""
    if "*" not in cors.origins and origin not in cors.origins:
        return []
    answer = [("access-control-allow-origin", "*" if "*" in cors.origins else origin)]
    if cors.credentials:
        answer.append(("access-control-allow-credentials", "true"))
    if cors.expose:
        answer.append(("access-control-expose-headers", ",".join(cors.expose)))
    return answer
