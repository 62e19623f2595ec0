"""The research record as lines for people; nothing in a note's text is left unseen (see ``text``)."""

from __future__ import annotations

from collections.abc import Iterator

import click

from notewell.surfaces.cli import text
from notewell.surfaces.cli.text import Json, clean, day, line, marked, nearness, table

_KIND_COLOURS = {
    "finding": "green",
    "dead_end": "red",
    "decision": "blue",
    "question": "yellow",
    "plan": "cyan",
    "blocker": "red",
    "digest": "magenta",
    "summary": "magenta",
}


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _id(each: Json) -> str:
    return click.style(each["id"], fg="cyan")


def _chips(kind: str | None, tags: list[str], model: str | None) -> str:
    """What a header says of a note: its kind, tags and model."""
    shown = click.style(line(kind), fg=_KIND_COLOURS.get(kind)) if kind else ""
    return _joined(shown, " ".join(f"#{line(tag)}" for tag in tags), line(model or ""))


def _state(each: Json) -> str:
    """Whether a campaign or problem can be seen by everybody."""
    if each.get("validation_copy"):
        return "validation copy"
    if not each["published"]:
        return "draft"
    return "public" if each.get("public", True) else "published in an unpublished campaign"


def made_lines(thing: str, made: Json) -> Iterator[str]:
    """A campaign or problem that was made."""
    yield f"Made the {thing} {_id(made)} {made['slug']}: {line(made['title'])} ({_state(made)})."


def published_lines(thing: str, changed: Json) -> Iterator[str]:
    """A campaign or problem whose place in the public record changed."""
    yield f"The {thing} {changed['slug']} is now: {_state(changed)}."


def revised_lines(changed: Json) -> Iterator[str]:
    """A problem with a new revision."""
    yield f"The problem {changed['slug']} has revision {changed['revision']} now: {line(changed['title'])}."


def campaigns_lines(found: Json) -> Iterator[str]:
    """The campaigns that one may see."""
    if not found["campaigns"]:
        yield "No campaigns. Make one: notewell research campaign create --slug NAME --title TEXT"
        return
    rows = [[each["slug"], _state(each), day(each["created_at"]), line(each["title"])] for each in found["campaigns"]]
    yield from table(["CAMPAIGN", "STATE", "MADE", "TITLE"], rows)


def campaign_lines(found: Json) -> Iterator[str]:
    """A campaign with its problems."""
    yield click.style(line(found["title"]), bold=True)
    yield _joined(_id(found), found["slug"], _state(found), f"made {day(found['created_at'])}")
    if found["description"]:
        yield f"\n{clean(found['description'])}"
    yield ""
    yield from _problem_table(found["problems"])


def problems_lines(found: Json) -> Iterator[str]:
    """A list of problems."""
    yield from _problem_table(found["problems"])
    if found["problems"]:
        yield f"\n{len(found['problems'])} of {found['total']:,} problems."
    if cursor := found.get("cursor"):
        yield f"More: the same command with --cursor {cursor}"


def _problem_table(problems: list[Json]) -> Iterator[str]:
    if not problems:
        yield "No problems."
        return
    rows = [
        [
            each["slug"],
            _state(each),
            str(each["revision"]),
            str(each.get("notes", "")),
            each.get("campaign_slug", ""),
            line(each["title"]),
        ]
        for each in problems
    ]
    yield from table(["PROBLEM", "STATE", "REVISION", "NOTES", "CAMPAIGN", "TITLE"], rows)


def problem_lines(found: Json) -> Iterator[str]:
    """A problem with its statement, its digests and its newest notes."""
    yield click.style(line(found["title"]), bold=True)
    campaign = f"campaign {found['campaign_slug']}" if found.get("campaign_slug") else ""
    owner = f"by {found['owner_handle']}" if found.get("owner_handle") else ""
    yield _joined(_id(found), found["slug"], _state(found), campaign, owner)
    yield _joined(
        f"revision {found['shown_revision']} of {found['revision']}",
        f"{found['attempts']:,} attempts, {found['attempts_running']:,} running",
    )
    yield f"\n{clean(found['statement_md'])}"
    yield from _part_lines(found)
    for title, name in (("Digests: read these first", "digests"), ("Newest notes", "recent")):
        if found[name]:
            yield "\n" + click.style(title, bold=True, underline=True)
            for card in found[name]:
                yield from _card_lines(card)


def _part_lines(found: Json) -> Iterator[str]:
    if part := found.get("part"):
        more = f"; read on with --from {part['next']}" if "next" in part else ""
        yield f"\n[characters {part['from']:,} to {part['to']:,} of {part['of']:,}{more}]"


def started_lines(made: Json) -> Iterator[str]:
    """An attempt that was started."""
    yield f"Started {_id(made)} on {made['problem_slug']}, revision {made['revision']}."
    yield f"Write on it: notewell research note add {made['id']} --body TEXT"


def ended_lines(ended: Json) -> Iterator[str]:
    """An attempt that was ended."""
    yield f"Ended {_id(ended)} on {ended['problem_slug']}: {ended['outcome']}. Its notes are frozen now."
    yield f"Its summary is {_id(ended['summary'])} {line(ended['summary']['title'])}"


def _attempt_line(attempt: Json) -> str:
    state = f"{attempt['outcome']}, ended {day(attempt['ended_at'])}" if attempt.get("outcome") else "running"
    by = " with ".join(line(attempt[name]) for name in ("author_handle", "agent", "model") if attempt.get(name))
    where = f"{attempt['problem_slug']}, revision {attempt['revision']}"
    return _joined(_id(attempt), where, f"by {by}" if by else "", f"started {day(attempt['started_at'])}", state)


def attempt_lines(found: Json) -> Iterator[str]:
    """An attempt with its notes."""
    yield _attempt_line(found)
    for each in found["notes"]:
        header = each["header"]
        kind = "summary" if each["note_kind"] == "summary" else header.get("kind")
        yield "\n" + click.style(line(each["title"]), bold=True)
        yield "  " + _joined(_id(each), _chips(kind, header["tags"], header.get("model")), day(each["created_at"]))
    yield f"\n{len(found['notes']):,} notes written, {len(found['reads']):,} read."


def written_lines(verb: str, note: Json) -> Iterator[str]:
    """A note that was written or changed."""
    yield f"{verb} {_id(note)} {line(note['title'])}, version {note['version']}"


def note_lines(note: Json) -> Iterator[str]:
    """A note in full, or the part of it that came: the header as chips, what no chip shows below them, the text."""
    header = note["header"]
    yield click.style(line(note["title"]), bold=True)
    yield _joined(_id(note), _chips(header.get("kind"), header["tags"], header.get("model")))
    by = f"by {line(note['author_handle'])}" + (f" with {line(note['agent'])}" if note.get("agent") else "")
    yield _joined(f"version {note['version']}", f"written {day(note['created_at'])} {by}")
    yield f"on {_attempt_line(note['attempt'])}"
    if header["builds_on"]:
        yield f"builds on {' '.join(header['builds_on'])}"
    for each in header["extra"]:
        yield click.style(f"header: {line(each)}", dim=True)
    if cut := header.get("cut"):
        yield click.style(cut, dim=True)
    yield f"\n{clean(note['body_md_without_header'])}"
    yield from _part_lines(note)
    for each in note["built_on_by"]:
        yield f"\nbuilt on by {_id(each)} {line(each['title'])} ({each['problem_slug']})"
    if cut := note.get("built_on_by_cut"):
        yield cut


def search_lines(found: Json) -> Iterator[str]:
    """The result of a search or a listing."""
    return text.search_lines(found, _card_lines)


def _card_lines(card: Json) -> Iterator[str]:
    yield click.style(line(card["title"]), bold=True)
    kind = "summary" if card["note_kind"] == "summary" else card.get("kind")
    chips = _chips(kind, card["tags"], card.get("model"))
    outcome = card.get("attempt_outcome", "running")
    where = f"{line(card['problem_title'])} ({card['problem_slug']})"
    yield "  " + _joined(_id(card), chips, where, f"by {card['author_handle']}", day(card["created_at"]), outcome)
    if card["snippet"]:
        yield f"  {click.style('>', dim=True)} {marked(card['snippet'], card['highlights'])}"
    if (z_score := card.get("z_score")) is not None:
        yield f"  {nearness(card['score'], z_score)}"
    if missing := card.get("missing"):
        yield click.style(f"  without: {', '.join(map(line, missing))}", fg="yellow")
    yield ""
