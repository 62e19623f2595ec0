"""``/research/notes/{id}/lineage``: what a note builds on and what builds on it, as a picture and as a list."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import InvalidArgument, NotFound
from notewell.services import lineage
from notewell.services.lineage import LEVELS, MAX_IN_LEVEL
from notewell.surfaces.web import lineage_layout
from notewell.surfaces.web.research_view import place_of
from notewell.surfaces.web.shell import Web


def routes(web: Web) -> list[Route]:
    """The page."""

    def show(request: Request) -> Response:
        try:
            found = lineage.lineage(web.app.store, web.viewer(request), request.path_params["id"])
        except InvalidArgument:
            raise NotFound("There is no such note, or you may not see it.") from None
        return web.render(
            request,
            "research/lineage.html",
            note=found.points[0].note,
            picture=lineage_layout.picture(found),
            size=(lineage_layout.BOX_WIDTH, lineage_layout.BOX_HEIGHT),
            builds_on=lineage_layout.builds_on(found),
            built_on_by=lineage_layout.built_on_by(found),
            is_cut=found.is_cut,
            levels=LEVELS,
            most=MAX_IN_LEVEL,
            label=lineage_layout.label,
            place_of=place_of,
        )

    return [web.get("/research/notes/{id}/lineage", show)]
