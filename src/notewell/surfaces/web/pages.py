"""All pages of the server. A new page module is one more entry in ``PAGES``."""

from __future__ import annotations

from types import ModuleType

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import NotFound
from notewell.surfaces.web import (
    admin,
    docs,
    home,
    language_switch,
    login,
    notes,
    overview,
    research,
    research_attempt,
    research_campaign,
    research_lineage,
    research_note,
    research_problem,
    research_problem_edit,
    research_search_page,
    settings,
    tokens,
)
from notewell.surfaces.web.markdown import render
from notewell.surfaces.web.shell import Web
from notewell.surfaces.web.static_files import static_file
from notewell.surfaces.web.templating import load_all

PAGES: tuple[ModuleType, ...] = (
    admin,
    docs,
    home,
    language_switch,
    login,
    notes,
    overview,
    research,
    research_attempt,
    research_campaign,
    research_lineage,
    research_note,
    research_problem,
    research_problem_edit,
    research_search_page,
    settings,
    tokens,
)
"""Each offers ``routes(web)``."""


def warm_up() -> None:
    """Loads what pages need, which takes a second that no reader should wait for."""
    load_all()
    render("```python\nx = 1\n```\n\n$x$")


def add_pages(api: FastAPI, web: Web) -> None:
    """Adds the routes of every page, and the static files."""

    async def static(request: Request) -> Response:
        try:
            return static_file(request)
        except NotFound as error:
            return web.problem(request, error)

    routes = [Route(path, static, methods=["GET"]) for path in ("/static/{name}", "/static/{version}/{name}")]
    for page in PAGES:
        routes += page.routes(web)
    api.router.routes.extend(routes)
