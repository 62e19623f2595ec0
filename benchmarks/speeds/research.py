"""Search over the public record beside the same FTS5 statement run bare on the same file, and publishing a problem."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from benchmarks.common.progress import progressing
from benchmarks.common.report import Figure
from benchmarks.common.stores import file_of
from benchmarks.common.timing import Work, interleaved
from benchmarks.speeds.filled_record import CAMPAIGNS, KINDS, LARGE_SLUG, PROBLEMS, open_record
from benchmarks.speeds.natural_notes import NoteMaker
from benchmarks.speeds.queries import LIMIT, PER_CLASS, Bare
from benchmarks.speeds.search import ADDED_MILLISECONDS, RATIO_BAR, ROUNDS
from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.index import WEIGHTS, kind_term, scope_term, tag_term
from notewell.domain.query import parse
from notewell.domain.research import OUTCOMES
from notewell.domain.terms import FUNCTION_WORDS, stem
from notewell.services import research, research_search
from notewell.services.research_search import ResearchSearch
from notewell.store.fts5_match import TEXT_COLUMNS, leaf_match, quoted
from notewell.store.homes import PUBLIC_HOME

PUBLISH_SECONDS = 10.0
"""For a problem of 10,000 notes."""
_TABLE = f"fts_{PUBLIC_HOME}"
_PUBLIC = "i.space_id IN (SELECT id FROM problems WHERE is_public = 1)"


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """One search through the service, and the same in bare SQL."""

    wanted: ResearchSearch
    bare: Bare


class RecordQueries:
    """Chooses searches from what a record holds."""

    def __init__(self, connection: apsw.Connection, seed: int = 17) -> None:
        self._random = random.Random(seed)
        connection.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {_TABLE}, 'row')")
        holding = dict(connection.execute("SELECT term, doc FROM temp.vocabulary"))
        connection.execute("DROP TABLE temp.vocabulary")
        [(notes,)] = connection.execute(f"SELECT count(*) FROM note_index AS i WHERE {_PUBLIC}")
        plain = [word for word in NoteMaker().words[:20_000] if word.isalpha() and word not in FUNCTION_WORDS]
        self._common = [word for word in plain if 0.1 * notes <= holding.get(stem(word), 0) <= 0.4 * notes]
        self._medium = [word for word in plain if 0.01 * notes <= holding.get(stem(word), 0) <= 0.03 * notes]
        tags = connection.execute("SELECT tag FROM note_tags GROUP BY tag ORDER BY count(*) DESC LIMIT 40")
        self._tags = [tag for (tag,) in tags]
        self._ids = dict(connection.execute("SELECT slug, id FROM problems"))
        self._problems: dict[str, list[str]] = {}
        sql = "SELECT campaigns.slug, problems.id FROM problems JOIN campaigns ON campaigns.id = problems.campaign_id"
        for campaign, problem_id in connection.execute(sql):
            self._problems.setdefault(campaign, []).append(problem_id)

    def classes(self) -> dict[str, list[RecordQuery]]:
        """The searches of each class."""
        makers: dict[str, Callable[[], RecordQuery]] = {
            "all public work, common word": lambda: self._search(),
            "all public work, two words": lambda: self._search(text=f"{self._word()} {self._word(self._medium)}"),
            "problem, common word": self._in_problem,
            "kind, common word": self._of_kind,
            "two tags, common word": self._with_tags,
            "campaign, common word": self._in_campaign,
            "outcome, common word": self._with_outcome,
            "listing, newest of all public work": lambda: self._listing(f"+{_PUBLIC}"),
            "listing, newest of a problem": self._problem_listing,
            "listing, newest with a tag": self._tag_listing,
        }
        return {name: list(self._some(maker)) for name, maker in makers.items()}

    def _some(self, maker: Callable[[], RecordQuery]) -> Iterator[RecordQuery]:
        for _ in range(PER_CLASS):
            yield maker()

    def _word(self, words: list[str] | None = None) -> str:
        return self._random.choice(words or self._common)

    def _slug(self) -> str:
        return f"problem-{self._random.randrange(PROBLEMS)}"

    def _search(self, terms: str = "", condition: str = "", text: str | None = None, **filters: Any) -> RecordQuery:
        """A ranked search; its bare form ranks row numbers alone and joins nothing."""
        words = text or self._word()
        weights = ", ".join(map(str, WEIGHTS))
        sql = (
            f"SELECT rowid, bm25({_TABLE}, {weights}, 0.0) AS score FROM {_TABLE}"
            f" WHERE {_TABLE} MATCH :match{condition} ORDER BY score, rowid DESC LIMIT {LIMIT}"
        )
        match = " AND ".join(leaf_match(leaf) for leaf in parse(words).exact_leaves)
        values = {"match": f"{TEXT_COLUMNS} : ({match}){terms}"}
        return RecordQuery(ResearchSearch(words, limit=LIMIT, **filters), Bare(sql, dict(values)))

    def _in_problem(self) -> RecordQuery:
        slug = self._slug()
        return self._search(f" AND f : {quoted(scope_term(self._ids[slug]))}", problem=slug)

    def _of_kind(self) -> RecordQuery:
        kind = self._random.choice(KINDS)
        return self._search(f" AND f : {quoted(kind_term(kind))}", kind=kind)

    def _with_tags(self) -> RecordQuery:
        tags = tuple(self._random.sample(self._tags, 2))
        return self._search("".join(f" AND f : {quoted(tag_term(tag))}" for tag in tags), tags=tags)

    def _in_campaign(self) -> RecordQuery:
        slug = f"campaign-{self._random.randrange(CAMPAIGNS)}"
        terms = " OR ".join(quoted(scope_term(problem_id)) for problem_id in self._problems[slug])
        return self._search(f" AND f : ({terms})", campaign=slug)

    def _with_outcome(self) -> RecordQuery:
        outcome = self._random.choice(OUTCOMES)
        condition = (
            " AND +rowid IN (SELECT i.row_no FROM note_index AS i WHERE (i.space_id, i.attempt_id)"
            f" IN (SELECT space_id, id FROM attempts WHERE outcome = '{outcome}'))"
        )
        return self._search(condition=condition, outcome=outcome)

    def _listing(self, condition: str, **filters: Any) -> RecordQuery:
        sql = f"SELECT i.row_no FROM note_index AS i WHERE {condition} ORDER BY i.row_no DESC LIMIT {LIMIT}"
        return RecordQuery(ResearchSearch(limit=LIMIT, **filters), Bare(sql))

    def _problem_listing(self) -> RecordQuery:
        slug = self._slug()
        return self._listing(f"i.space_id = '{self._ids[slug]}'", problem=slug)

    def _tag_listing(self) -> RecordQuery:
        tag = self._random.choice(self._tags)
        tagged = (
            f"i.row_no IN (SELECT t.row_no FROM note_tags AS t WHERE t.tag_key = '{tag}'"
            " AND t.space_id IN (SELECT id FROM problems WHERE is_public = 1))"
        )
        return self._listing(f"+{_PUBLIC} AND {tagged}", tags=(tag,))


def research_figures(home: Path) -> list[Figure]:
    """The median CPU time of each class of searches, then the time that publishing takes."""
    app = open_record(home)
    try:
        actor = app.default_actor()
        bare = apsw.Connection(str(app.config.database_path), flags=apsw.SQLITE_OPEN_READONLY)
        bare.execute("PRAGMA cache_size = -16000").fetchall()
        with file_of(app).connection() as connection:
            classes = RecordQueries(connection).classes()
        figures = [
            _figure(app, actor, bare, name, classes[name])
            for name in progressing(list(classes), "searching the record")
        ]
        bare.close()
        return [*figures, *_publish_figures(app, actor)]
    finally:
        app.close()


def _figure(app: App, actor: Actor, bare: apsw.Connection, name: str, queries: list[RecordQuery]) -> Figure:
    pairs = [(_service(app, actor, query), _bare(bare, query)) for query in queries]
    ours, theirs = interleaved(pairs, ROUNDS)
    totals = [research_search.find(app.store, actor, query.wanted).total or 0 for query in queries]
    return Figure(
        name,
        ours.cpu_p50,
        "ms",
        reference=theirs.cpu_p50,
        at_most=RATIO_BAR * theirs.cpu_p50 + ADDED_MILLISECONDS,
        remark=f"wall {ours.wall_p50:.1f} / {theirs.wall_p50:.1f} ms; {min(totals):,} to {max(totals):,} notes",
    )


def _service(app: App, actor: Actor, query: RecordQuery) -> Work:
    return lambda: research_search.find(app.store, actor, query.wanted)


def _bare(connection: apsw.Connection, query: RecordQuery) -> Work:
    return lambda: connection.execute(query.bare.sql, query.bare.values).fetchall()


def _publish_figures(app: App, actor: Actor) -> Iterator[Figure]:
    """The CPU time of the two moves of the large draft, which ends as it began; the wall time as a remark."""
    with app.store.read() as reader:
        notes = reader.rows("space_stats", space_id=reader.rows("problem", reference=LARGE_SLUG)[0]["id"])[0]["notes"]
    for is_published, name in ((True, "publishing"), (False, "unpublishing")):
        begin, cpu = time.perf_counter(), time.thread_time()
        research.publish_problem(app.store, actor, LARGE_SLUG, is_published=is_published)
        remark = f"wall {time.perf_counter() - begin:.1f} s"
        spent = time.thread_time() - cpu
        yield Figure(f"{name} a problem of {notes:,} notes", spent, "s", at_most=PUBLISH_SECONDS, remark=remark)
