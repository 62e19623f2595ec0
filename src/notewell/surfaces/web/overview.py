"""``/overview``: a memory as pictures, and its owner's research beside it."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.services import overview
from notewell.services.overview import Portrait
from notewell.services.ports import EmbedderUnavailable
from notewell.surfaces.web import charts
from notewell.surfaces.web.shell import Web

PATH = "/overview"
NOTES_PATH = "/notes"


def routes(web: Web) -> list[Route]:
    """The page of pictures."""

    def show(request: Request) -> Response:
        embedder = web.app.embedder
        reason = embedder.reason if isinstance(embedder, EmbedderUnavailable) else ""
        model_id = None if isinstance(embedder, EmbedderUnavailable) else embedder.model_id
        found = overview.portrait(web.app.store, web.actor(request), model_id)
        return web.render(
            request,
            "overview.html",
            found=found,
            chart=_chart(found),
            reason=reason,
            share=charts.share,
            percent=charts.percent,
            notes_url=notes_url,
        )

    return [web.get(PATH, show)]


def notes_url(**wanted: str) -> str:
    """The address of the notes with a tag, a symbol, in a collection, of a status."""
    return f"{NOTES_PATH}?{urlencode(wanted)}"


def _chart(found: Portrait) -> charts.Columns:
    has_research = found.research is not None
    return charts.columns([(week.memory, week.research) if has_research else (week.memory,) for week in found.weeks])
