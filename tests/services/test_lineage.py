"""The graph of what notes build on: its levels, its bounds, its odd shapes, and what a viewer may not see of it."""

from __future__ import annotations

import pytest
from research_record import attempt, campaign, found, people, problem, write

from notewell.domain.access import ANONYMOUS
from notewell.errors import InvalidArgument, NotFound
from notewell.services import lineage as service
from notewell.services import research, research_notes
from notewell.services.lineage import LEVELS, MAX_IN_LEVEL, Lineage, lineage, named, trail
from notewell.services.research_notes import Reading
from notewell.store.database import Database

NOWHERE = "nte_nowhere00000"


def citing(*targets: str, title: str = "A note") -> str:
    """The text of a note that builds on these."""
    return f"---\ntitle: {title}\nbuilds_on: [{', '.join(targets)}]\n---\nText.\n"


def levels(found: Lineage) -> dict[str, int]:
    """The level of each point."""
    return {point.id: point.level for point in found.points}


def test_a_note_stands_between_what_it_builds_on_and_what_builds_on_it(database: Database) -> None:
    who = people(database)
    of = problem(database, who.owner)
    on = attempt(database, who.author, of)
    first = write(database, who.author, on, "First.\n")
    middle = write(database, who.author, on, citing(first, on.id, of.id, NOWHERE, title="Middle"))
    last = write(database, who.author, on, citing(middle))

    graph = lineage(database, ANONYMOUS, middle)

    assert graph.points[0].note is not None
    assert (graph.points[0].id, graph.points[0].note.title) == (middle, "Middle")
    assert levels(graph) == {middle: 0, first: -1, on.id: -1, of.id: -1, NOWHERE: -1, last: 1}
    assert set(graph.links) == {(middle, first), (middle, on.id), (middle, of.id), (middle, NOWHERE), (last, middle)}
    assert {point.id for point in graph.points if point.note is None} == {on.id, of.id, NOWHERE}
    assert not graph.is_cut


def test_a_cycle_is_part_of_the_graph(database: Database) -> None:
    who = people(database)
    on = attempt(database, who.author, problem(database, who.owner))
    one = write(database, who.author, on, "One.\n")
    two = write(database, who.author, on, citing(one))
    research_notes.edit_note(database, who.author, one, citing(two, one))

    graph = lineage(database, ANONYMOUS, one)

    assert levels(graph) == {one: 0, two: -1}
    assert set(graph.links) == {(one, two), (one, one), (two, one)}


def test_the_graph_is_bounded_and_says_so(database: Database) -> None:
    who = people(database)
    on = attempt(database, who.author, problem(database, who.owner))
    chain = [write(database, who.author, on, "Root.\n")]
    for _ in range(LEVELS + 1):
        chain.append(write(database, who.author, on, citing(chain[-1])))
    many = [write(database, who.author, on, citing(chain[-1])) for _ in range(MAX_IN_LEVEL + 1)]

    back = lineage(database, ANONYMOUS, chain[-1])
    forth = lineage(database, ANONYMOUS, chain[0])

    assert back.is_cut
    assert [point.id for point in back.points if point.level == 1] == list(reversed(many))[:MAX_IN_LEVEL]
    assert [levels(back)[each] for each in reversed(chain[1:])] == [0, -1, -2, -3]
    assert chain[0] not in levels(back)
    assert (levels(forth)[chain[LEVELS]], forth.is_cut) == (LEVELS, True)


def test_what_a_viewer_may_not_see_looks_like_what_is_not_there(database: Database) -> None:
    who = people(database)
    shown, hidden = problem(database, who.owner, "shown"), problem(database, who.owner, "hidden", publishes=True)
    on, below = attempt(database, who.author, shown), attempt(database, who.author, hidden)
    secret = write(database, who.author, below, "---\ntitle: Secret\n---\nText.\n")
    public = write(database, who.author, on, citing(secret, NOWHERE))
    later = write(database, who.author, below, citing(public))
    research.publish_problem(database, who.owner, hidden.id, is_published=False)

    for viewer in (ANONYMOUS, who.other):
        graph = lineage(database, viewer, public)
        assert {point.id: point.note for point in graph.points if point.id != public} == {secret: None, NOWHERE: None}
        with pytest.raises(NotFound):
            lineage(database, viewer, secret)
        assert list(named(database, viewer, [secret, public, "nonsense"])) == [public]
    for viewer in (who.owner, who.author, who.admin):
        graph = lineage(database, viewer, public)
        assert levels(graph) == {public: 0, secret: -1, NOWHERE: -1, later: 1}


def test_what_is_no_id_of_a_note_has_no_lineage(database: Database) -> None:
    with pytest.raises(InvalidArgument):
        lineage(database, ANONYMOUS, "att_0000000000")
    with pytest.raises(NotFound):
        lineage(database, ANONYMOUS, NOWHERE)


def test_what_an_attempt_read_and_searched_is_for_its_author_and_the_owner(database: Database) -> None:
    who = people(database)
    group = campaign(database, who.owner, "group")
    of = problem(database, who.owner, campaign=group.id)
    earlier, on = attempt(database, who.other, of), attempt(database, who.author, of)
    note = write(database, who.other, earlier, "Earlier.\n")
    research_notes.get_note(database, who.author, note, Reading(working_attempt_id=on.id))
    found(database, who.author, "earlier", working_attempt_id=on.id)

    for viewer in (who.author, who.owner, who.admin):
        seen = trail(database, viewer, on.id)
        assert seen is not None
        assert [each.note.id for each in seen.reads] == [note]
        assert [(each.words, each.mode, each.cards) for each in seen.searches] == [("earlier", "keyword", 1)]
        assert not seen.is_cut
    assert trail(database, who.other, on.id) is None
    assert trail(database, ANONYMOUS, on.id) is None


def test_a_long_trail_is_cut_and_says_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    who = people(database)
    on = attempt(database, who.author, problem(database, who.owner))
    monkeypatch.setattr(service, "MAX_SEARCHES", 2)
    for words in ("one", "two", "three"):
        found(database, who.author, words, working_attempt_id=on.id)

    seen = trail(database, who.author, on.id)

    assert seen is not None
    assert ([each.words for each in seen.searches], seen.is_cut) == (["two", "three"], True)
