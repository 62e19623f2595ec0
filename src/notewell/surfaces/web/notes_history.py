"""The history of a note: who wrote which version when, what changed with it, and the way back to an earlier one."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import InvalidArgument, NotFound
from notewell.services import memory
from notewell.services.memory import NoteView
from notewell.services.retry import persistently
from notewell.surfaces.web.markdown import raw_page
from notewell.surfaces.web.notes_diff import SAME, Diff, compare
from notewell.surfaces.web.notes_note import part_of
from notewell.surfaces.web.notes_query import PATH
from notewell.surfaces.web.shell import Confirmation, Web

PAGE_VERSIONS = 10


@dataclass(frozen=True, slots=True)
class Change:
    """A field of one short value that another version has otherwise; an empty text is no value."""

    field: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Labels:
    """The tags or symbols that came and went with a version."""

    field: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Version:
    """A state of the note, and what changed with it."""

    view: NoteView
    is_current: bool
    is_first: bool
    changes: tuple[Change, ...] = ()
    labels: tuple[Labels, ...] = ()
    body: Diff = SAME

    @property
    def changed_nothing_kept(self) -> bool:
        """Whether nothing that the history keeps differs from the version before."""
        is_same_body = not self.body.lines and not self.body.is_too_large
        return not self.is_first and not self.changes and not self.labels and is_same_body


def routes(web: Web) -> list[Route]:
    """The pages of a note's history."""
    pages = _HistoryPages(web)
    history = f"{PATH}/{{id}}/history"
    return [
        web.get(history, pages.show),
        web.get(f"{history}/{{version}}", pages.version),
        web.get(f"{history}/{{version}}/restore", pages.ask_restore),
        web.post(f"{history}/{{version}}/restore", pages.restore),
    ]


class _HistoryPages:
    """The history."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def show(self, request: Request) -> Response:
        """The versions, newest first, some on a page."""
        states = self._states(request)
        pages = -(-len(states) // PAGE_VERSIONS)
        number = min(max(1, part_of(request)), pages)
        start = (number - 1) * PAGE_VERSIONS
        older = [*states[1:], None]
        versions = [
            _version(state, before, is_current=place == 0)
            for place, (state, before) in enumerate(zip(states, older, strict=True))
            if start <= place < start + PAGE_VERSIONS
        ]
        return self._web.render(
            request,
            "notes/history.html",
            versions=versions,
            current=states[0],
            total=len(states),
            here=f"{PATH}/{states[0].note.id}",
            number=number,
            pages=pages,
        )

    def version(self, request: Request) -> Response:
        """One version as a whole, its text as it is."""
        current, state = self._named(request)
        return self._web.render(
            request,
            "notes/version.html",
            view=state,
            note=state.note,
            is_current=state is current,
            page=raw_page(state.note.body, part_of(request)),
            here=f"{PATH}/{current.note.id}",
        )

    def ask_restore(self, request: Request) -> Response:
        """Asks before an earlier version comes back."""
        _, state = self._named(request)
        t = self._web.texts(request, "notes")
        number, history = state.note.version, f"{PATH}/{state.note.id}/history"
        return self._web.confirm(
            request,
            Confirmation(
                t("restore_title", number=number),
                t("restore_message", title=state.note.title),
                t("restore"),
                f"{history}/{number}/restore",
                history,
            ),
        )

    def restore(self, request: Request) -> Response:
        """Brings an earlier version back."""
        _, state = self._named(request)
        note, actor = state.note, self._web.actor(request)
        persistently(lambda: memory.restore(self._web.app.store, actor, note.id, note.version))
        return self._web.redirect(request, f"{PATH}/{note.id}", "notes.restored")

    def _states(self, request: Request) -> list[NoteView]:
        """Every state of the note that a path names, newest first. Raises ``not_found``, also for what is no id."""
        actor, note_id = self._web.actor(request), request.path_params["id"]
        try:
            current, earlier = memory.history(self._web.app.store, actor, note_id)
        except InvalidArgument:
            raise NotFound(f"There is no note {note_id[:60]} in this memory.") from None
        return [current, *earlier]

    def _named(self, request: Request) -> tuple[NoteView, NoteView]:
        """The current state, and the one whose version a path names. Raises ``not_found``."""
        states = self._states(request)
        wanted = request.path_params["version"]
        for state in states:
            if str(state.note.version) == wanted:
                return states[0], state
        raise NotFound(f"Version {wanted[:20]} is not in the history of this note.")


def _version(view: NoteView, before: NoteView | None, *, is_current: bool) -> Version:
    if before is None:
        return Version(view, is_current, is_first=True)
    old, new = before.note, view.note
    values = (
        Change("title", old.title, new.title),
        Change("summary", old.summary, new.summary),
        Change("collection", before.collection or "", view.collection or ""),
        Change("status", old.status, new.status),
    )
    labels = (_labels("tags", old.tags, new.tags), _labels("symbols", old.symbols, new.symbols))
    return Version(
        view,
        is_current,
        is_first=False,
        changes=tuple(change for change in values if change.old != change.new),
        labels=tuple(each for each in labels if each.added or each.removed),
        body=compare(old.body, new.body),
    )


def _labels(field: str, old: tuple[str, ...], new: tuple[str, ...]) -> Labels:
    return Labels(field, tuple(each for each in new if each not in old), tuple(each for each in old if each not in new))
