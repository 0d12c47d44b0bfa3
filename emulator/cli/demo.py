"""`demo`: the sample place, its small website served on loopback, the whole road."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from emulator.cli.client import Api
from emulator.cli.machine import ROOT, Options, machine
from emulator.cli.onboarding import onboard, read_intake
from emulator.cli.output import Failure, Output
from emulator.loopback import LoopbackServer
from emulator.site_server import SiteServer

EXAMPLES = ROOT / "examples"
WEBSITE_PORT = 8090


async def demo(data_dir: Path, out: Output) -> dict[str, Any]:
    """Onboard `examples/place.json`; the document of an onboarding. Run again, it finds the same place and changes nothing."""
    async with _website(EXAMPLES / "site", data_dir) as website:
        intake = read_intake(EXAMPLES / "place.json", website=f"{website}/")
        out.say(f"the shop's own website is served at {website}/")
        options = Options(crawl_allow=website.removeprefix("http://"))
        async with machine(data_dir, out, options) as running:
            out.say(f"functions, queue and site are up: API {running.stack.http_url}")
            async with Api(running.stack.http_url, running.login) as api:
                return await onboard(api, intake, running.site_dir, out)


@asynccontextmanager
async def _website(folder: Path, data_dir: Path) -> AsyncIterator[str]:
    server = _listen(data_dir)
    server.start(SiteServer(folder))
    try:
        yield server.url
    finally:
        await server.stop()


def _listen(data_dir: Path) -> LoopbackServer:
    """On the port this data folder's demo had before, so that a second one finds the place unchanged; on any when it is taken."""
    data_dir.mkdir(parents=True, exist_ok=True)
    remembered = data_dir / "website-port"
    known = [int(remembered.read_text())] if remembered.exists() else []
    for port in (*known, *range(WEBSITE_PORT, WEBSITE_PORT + 10), 0):
        try:
            server = LoopbackServer(port)
        except OSError:
            continue
        remembered.write_text(server.url.rpartition(":")[2])
        return server
    raise Failure("no port of 127.0.0.1 is free")
