"""The switch in the footer of every page: remembers the language that somebody chose."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import InvalidArgument
from notewell.surfaces.web.cookies import YEAR_SECONDS, set_plain_cookie
from notewell.surfaces.web.language import LANGUAGE_COOKIE, LANGUAGES
from notewell.surfaces.web.shell import Web, local_path


def routes(web: Web) -> list[Route]:
    """Where the footer's form is sent to."""

    def switch(request: Request) -> Response:
        form = web.form(request)
        language = form.line("language")
        if language not in LANGUAGES:
            raise InvalidArgument(
                f"language: {language[:20]!r} is none of {', '.join(LANGUAGES)}.", argument="language"
            )
        response = web.redirect(request, local_path(form.line("next")))
        set_plain_cookie(request, response, LANGUAGE_COOKIE, language, YEAR_SECONDS)
        return response

    return [web.post("/language", switch)]
