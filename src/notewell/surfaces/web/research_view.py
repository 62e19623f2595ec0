"""What several research pages show alike: a note with its header, cards of notes, and who may change what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request

from notewell.domain.access import Actor
from notewell.domain.snippet import Snippet
from notewell.services import lineage
from notewell.services.research_notes import NoteInContext
from notewell.surfaces.web.markdown import Options, Rendered, render
from notewell.surfaces.web.shell import Web
from notewell.surfaces.web.visible import visible_html

LIST_PATH = "/research"
MAX_CITED = 500
"""Of the notes that those of a page build on, so many are named by their titles."""
MAX_EXTRA_CHARS = 20_000
"""Of what a header holds besides its fields; all of it is on the page of the text as it is."""

_PLACES = {"nte": "/research/notes/", "att": "/attempts/", "prb": "/problems/", "cmp": "/campaigns/"}


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note as a page shows it."""

    view: NoteInContext
    rendered: Rendered | None
    """None where the page has no room for its text."""
    extra: str
    """What its header holds besides its fields, verbatim, an entry on each line."""
    is_extra_cut: bool
    links: tuple[tuple[str, str], ...]
    """Each id of ``builds_on`` with the path to it."""


def shown_note(
    view: NoteInContext, *, shows_images: bool, has_text: bool = True, first_heading: int = 4, part: int = 1
) -> ShownNote:
    """A note ready for the page, its text as Markdown unless there is no room for it."""
    extra = "\n".join(view.header.extra)
    options = Options(view.note.id, shows_images, first_heading, part)
    return ShownNote(
        view,
        render(view.header.body, options) if has_text else None,
        extra[:MAX_EXTRA_CHARS],
        len(extra) > MAX_EXTRA_CHARS,
        tuple((each, place_of(each)) for each in view.header.builds_on),
    )


def titles_of_cited(web: Web, viewer: Actor, views: Iterable[NoteInContext]) -> dict[str, str]:
    """The titles of the notes that these build on, by id, of those that the viewer may see; of very many the first."""
    cited = list(dict.fromkeys(each for view in views for each in view.header.builds_on))[:MAX_CITED]
    return {each: note.title for each, note in lineage.named(web.app.store, viewer, cited).items()}


def place_of(link: str) -> str:
    """The path to what an id names."""
    return _PLACES[link[:3]] + link


def marked(snippet: Snippet) -> Markup:
    """A snippet with the words that were searched for marked, every hidden character of it visible."""
    pieces, end = [], 0
    for start, stop in snippet.highlights:
        pieces += [visible_html(snippet.text[end:start]), "<mark>", visible_html(snippet.text[start:stop]), "</mark>"]
        end = stop
    return Markup("".join([*pieces, visible_html(snippet.text[end:])]))


def may_write(actor: Actor) -> bool:
    """Whether somebody may add to the record at all."""
    return bool(actor.account_id) and "research:write" in actor.scopes


def may_change(actor: Actor, owner_id: str) -> bool:
    """Whether somebody may change what an account owns."""
    return may_write(actor) and (actor.is_admin or actor.account_id == owner_id)


def address(path: str, pairs: Iterable[tuple[str, object]]) -> str:
    """A path with a query, without what is empty."""
    query = urlencode([(name, str(value)) for name, value in pairs if value not in (None, "")])
    return f"{path}?{query}" if query else path


def number_in(request: Request, name: str) -> int | None:
    """A whole number of the query; None where there is none."""
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None


def with_line_ends(text: str, old: str) -> str:
    """A text of a form with the line ends of the one that it replaces: browsers do not tell which there were."""
    plain = old.replace("\r\n", "\n").replace("\r", "\n")
    if text == plain:
        return old
    is_crlf = "\r\n" in old and old.count("\n") == old.count("\r\n")
    return text.replace("\n", "\r\n") if is_crlf else text
