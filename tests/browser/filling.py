"""A store with something of everything: what pages show best and worst, in two languages."""

from __future__ import annotations

from dataclasses import dataclass

from notewell.app import App
from notewell.domain.access import Actor
from notewell.domain.notes import Draft, Edit
from notewell.domain.research import Attempt
from notewell.services import accounts, memory, research, research_notes
from notewell.services.memory import Filing
from notewell.services.research import CampaignDraft, ProblemDraft

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 2
MARKDOWN = """# What was found

降息预期升温, see **NVDA** and [the source](https://example.org/very/long/path?with=many&parts=1 "a title").

- [x] read the minutes
- [ ] compare with March

| quarter | growth | note |
|---|---:|---|
| Q1 | 2.4 | as expected |
| Q2 | 1.9 | below, by a lot more words than fit into a narrow column | a cell too many |

```python
def rate(year: int) -> float:  # what is priced in
    return 4.25 - 0.25 * (year - 2025)
```

$x^2 + \\alpha$ and

$$\\sum_{i=1}^{n} \\frac{a_i}{b_i}$$

> quoted\u202e and turned

![a chart](https://example.org/chart.png) and a footnote[^1]

<!-- a comment for agents -->

[^1]: Of the footnote.
[//]: # (a hidden line)
"""


@dataclass(frozen=True)
class Filled:
    """Where things are."""

    note_ids: tuple[str, ...]
    """Of the memory of the account ``local``: the first is long and has a history, the last is archived."""
    problem_slug: str
    campaign_slug: str
    attempt_ids: tuple[str, ...]
    """The first has ended, the second runs and is that of ``local``."""
    research_note_ids: tuple[str, ...]


def fill(app: App) -> Filled:
    """Writes notes of the local account and a research record with several authors."""
    return _research(app, _memory(app))


def _memory(app: App) -> tuple[str, ...]:
    owner = accounts.local_actor(app.store, "claude")
    drafts = (
        Draft(
            "Fed outlook", MARKDOWN, "Cuts are priced in for March.", ("macro", "降息"), ("NVDA", "000834"), "chat 12"
        ),
        Draft("降息预期与黄金", "黄金在降息预期下走强。\n" * 40, "黄金的逻辑。", ("降息",), ("GC=F",)),
        Draft(LONG_WORD, LONG_WORD, LONG_WORD, (LONG_WORD[:60],)),
        Draft("turned \u202egnp.exe and <script>alert(1)</script>", "a\u200bb", "\u2066", ("\u202etag",)),
        Draft("A note without a summary", "Short."),
        Draft("An old decision", "It was decided.", "Decided in May.", ("decision",)),
    )
    filings = (
        Filing("Macro", creates=True),
        Filing("Macro"),
        *[Filing("研究 & 想法", creates=True)] * 2,
        Filing(),
        Filing(),
    )
    made = [memory.create(app.store, owner, *each).view.note for each in zip(drafts, filings, strict=True)]
    memory.update(app.store, owner, made[0].id, Edit(append="\n\nAdded later.", if_version=1))
    memory.update(app.store, owner, made[0].id, Edit(summary="Cuts are priced in for June.", add_tags=("rates",)))
    memory.update(app.store, owner, made[-1].id, Edit(status="archived"))
    return tuple(note.id for note in made)


def _research(app: App, note_ids: tuple[str, ...]) -> Filled:
    owner = accounts.local_actor(app.store)
    accounts.create_account(app.store, "ana", may_exist=True)
    author = accounts.account_actor(app.store, "ana", "codex")
    campaign = research.create_campaign(
        app.store, owner, CampaignDraft("sat-2026", "SAT in 2026", "All about *solvers*.", publishes=True)
    )
    draft = ProblemDraft("large-sat", "Large SAT", f"Solve it.\n\n{MARKDOWN}", "sat-2026", publishes=True)
    problem = research.create_problem(app.store, owner, draft)
    ended, _ = research.start_attempt(app.store, author, problem.id, "claude-opus-5-5")
    found: list[str] = []
    for kind in ("finding", "dead_end", "question", "plan", "blocker", "decision", "something-else"):
        found.append(
            _note(app, author, ended, f"kind: {kind}\ntags: [sat, über-wichtig]  # why not\ncolour: red", found[-2:])
        )
    research_notes.end_attempt(app.store, author, ended.id, "progress", "It went **well**, so far.")
    research.revise_problem(app.store, owner, problem.id, "Solve it faster.")
    running, _ = research.start_attempt(app.store, owner, problem.id, "claude-opus-5-5")
    found.append(_note(app, owner, running, "kind: digest", found))
    found.append(_note(app, owner, running, f"kind: finding\nmodel: {LONG_WORD[:90]}", ["nte_0000000000", found[-1]]))
    return Filled(note_ids, problem.slug, campaign.slug, (ended.id, running.id), tuple(found))


def _note(app: App, author: Actor, attempt: Attempt, header: str, builds_on: list[str]) -> str:
    title = f"Clause learning stalls: {header.splitlines()[0]}"
    body = f"---\ntitle: '{title}'\n{header}\nbuilds_on: [{', '.join(builds_on)}]\n---\n\n{MARKDOWN}"
    return research_notes.add_note(app.store, author, attempt.id, body).note.id
