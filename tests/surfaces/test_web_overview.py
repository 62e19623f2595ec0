"""``/overview`` and ``/admin``: whose numbers they show, in both languages, and that no text breaks out of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from browsing import Person, Site, site, text_of
from clients import LOCAL, with_settings
from serving import serving

from notewell.app import App
from notewell.config import Config
from notewell.domain.notes import Draft, Edit
from notewell.embedders.fake import FakeEmbedder
from notewell.services import accounts, memory
from notewell.services.embedding import BROKEN
from notewell.services.ports import EmbedderUnavailable
from notewell.surfaces.server import make_asgi
from notewell.surfaces.web.admin import without_password
from notewell.surfaces.web.overview import notes_url

OPEN = with_settings(host="0.0.0.0")
HOSTILE = "\"><script>alert(1)</script>&'\u202e"
SECRET = "nobody else may read this"


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Site]:
    """A server for several people: ``root`` looks after it, ``ana`` has notes, ``cy`` has none."""
    with site(tmp_path, OPEN) as opened:
        opened.add_person("root", is_admin=True)
        opened.add_person("ana")
        opened.add_person("cy")
        ana = accounts.account_actor(opened.app.store, "ana", "claude")
        for agent in ("claude", "claude", HOSTILE):
            draft = Draft(SECRET, SECRET, SECRET, (HOSTILE, "macro"), ("NVDA",))
            made = memory.create(opened.app.store, replace(ana, agent=agent), draft).view.note
        memory.update(opened.app.store, replace(ana, agent=HOSTILE), made.id, Edit(status="archived"))
        yield opened


def signed_in(person: Person, handle: str, language: str = "en") -> Person:
    assert person.sign_in(handle).status_code == 303
    person.client.cookies.set("notewell_language", language)
    return person


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Notes written per week", "Top tags", "claude 2 notes", "33%", "1 of 3 notes are archived")),
        ("zh", ("每周写下的笔记", "常用标签", "2 条笔记", "33%", "3 条笔记中有 1 条已归档")),
    ],
)
def test_a_memory_is_drawn_in_the_language_of_who_looks(language: str, words: tuple[str, ...], shared: Site) -> None:
    with shared.visit() as visitor:
        response = signed_in(visitor, "ana", language).get("/overview")

    shown = re.sub(r"last \S+ \S+ ", "", text_of(response))
    assert response.status_code == 200
    assert [each for each in words if each not in shown] == []
    assert 'href="/notes?tag=macro"' in response.text
    assert 'href="/notes?symbol=NVDA"' in response.text
    assert SECRET not in response.text


def test_each_picture_says_its_numbers_in_words_too(shared: Site) -> None:
    with shared.visit() as visitor:
        text = signed_in(visitor, "ana").get("/overview").text

    for picture in re.findall(r"<svg [^>]*>", text):
        labelled = re.search(r'role="img" aria-labelledby="([\w-]+)"', picture)
        assert labelled or 'aria-hidden="true"' in picture or "chart-key" in picture, picture
        if labelled:
            assert re.search(rf'<title id="{labelled[1]}">[^<]*\d', text)
    table = re.search(r'(?s)<div class="visually-hidden"><table>.*?</table>', text)
    assert table is not None
    assert len(re.findall("<tr>", table[0])) == 27
    assert sum(map(int, re.findall(r"<td>(\d+)</td>", table[0]))) == 3


def test_what_agents_wrote_stays_text(shared: Site) -> None:
    with shared.visit() as visitor:
        text = signed_in(visitor, "ana").get("/overview").text

    assert "alert(1)</script>" not in text
    assert "\u202e" not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") == 2
    assert "style=" not in text
    assert notes_url(tag=HOSTILE) == "/notes?tag=%22%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%26%27%E2%80%AE"
    assert f'href="{notes_url(tag=HOSTILE)}"' in text


@pytest.mark.parametrize(("language", "words"), [("en", "Nothing to draw yet"), ("zh", "还没有可以绘制的内容")])
def test_somebody_without_notes_sees_none_of_anothers(language: str, words: str, shared: Site) -> None:
    with shared.visit() as visitor:
        response = signed_in(visitor, "cy", language).get("/overview")

    assert words in text_of(response)
    assert [each for each in ("macro", "NVDA", "claude", "<svg class=") if each in response.text] == []


def test_nobody_sees_pictures_or_the_store_without_signing_in(shared: Site) -> None:
    with shared.visit() as visitor:
        for path in ("/overview", "/admin", "/admin/sweep"):
            assert visitor.get(path).headers["location"].startswith("/login?next=")


# Administrators


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("Embedding queue", "ana 2", "switched off")), ("zh", ("嵌入队列", "语义搜索已关闭", "notewell doctor"))],
)
def test_an_administrator_sees_counts_and_never_a_text(language: str, words: tuple[str, ...], shared: Site) -> None:
    with shared.visit() as visitor:
        response = signed_in(visitor, "root", language).get("/admin")

    shown = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)? ?", "", text_of(response))
    assert [each for each in words if each not in shown] == []
    assert re.search(r"ana 2 1 0", shown)
    assert [each for each in (SECRET, "macro", "NVDA", "claude") if each in response.text] == []


def test_whoever_is_no_administrator_is_refused(shared: Site) -> None:
    with shared.visit() as visitor:
        ana = signed_in(visitor, "ana")
        answers = [ana.get("/admin"), ana.get("/admin/sweep"), ana.post("/admin/sweep", page="/overview")]

        assert [each.status_code for each in answers] == [403] * 3
        assert 'href="/admin"' not in ana.get("/overview").text
        assert "That is not allowed" in text_of(answers[0])
    with shared.app.store.read() as reader:
        assert reader.rows("last_sweep")[0]["last_at"] == 0


def test_a_sweep_is_asked_about_and_then_done(tmp_path: Path) -> None:
    with site(tmp_path) as local, local.visit() as person:
        memory.create(local.app.store, accounts.local_actor(local.app.store), Draft("t", "b"))
        with local.app.store.write() as tx:
            tx.run_sql("DELETE FROM note_index", {})
        assert "Last sweep never" in text_of(person.get("/admin"))
        assert "Sweep the store now?" in text_of(person.get("/admin/sweep"))

        answer = person.post("/admin/sweep", page="/admin/sweep")

        assert (answer.status_code, answer.headers["location"]) == (303, "/admin")
        shown = text_of(person.get("/admin"))
        assert "The sweep is done." in shown
        assert "Last sweep never" not in shown
        with local.app.store.read() as reader:
            assert len(reader.rows_of("SELECT note_id FROM note_index", {})) == 1


def test_why_notes_failed_is_shown_as_text(shared: Site) -> None:
    reason = f"{BROKEN} {HOSTILE}"
    with shared.app.store.write() as tx:
        tx.run_sql("UPDATE jobs SET due_at = NULL, reason = :reason", {"reason": reason})

    with shared.visit() as visitor:
        response = signed_in(visitor, "root").get("/admin")

    assert "3 notes could not be embedded" in text_of(response)
    assert BROKEN in text_of(response)
    assert "alert(1)</script>" not in response.text


def test_why_there_is_no_model_is_shown(tmp_path: Path) -> None:
    app = App(Config(tmp_path, embedder="onnx:/nowhere/at/all"), EmbedderUnavailable("No model is there."))
    memory.create(app.store, accounts.local_actor(app.store), Draft("t", "b"))
    try:
        with serving(make_asgi(app, LOCAL)) as url, httpx2.Client(base_url=url, timeout=30, verify=False) as client:
            shown = {path: text_of(client.get(path)) for path in ("/admin", "/overview")}
    finally:
        app.close()

    assert "NOTEWELL_EMBEDDER=onnx:/nowhere/at/all The model cannot be used: No model is there." in shown["/admin"]
    assert "Search by meaning is not available: No model is there." in shown["/overview"]


def test_coverage_is_a_ring_where_there_is_a_model(tmp_path: Path) -> None:
    app = App(Config(tmp_path), FakeEmbedder())
    local = accounts.local_actor(app.store)
    for title in ("one", "two", "three"):
        memory.create(app.store, local, Draft(title, "b"))
        if title == "two":
            assert app.embed_step()
    try:
        with serving(make_asgi(app, LOCAL)) as url, httpx2.Client(base_url=url, timeout=30, verify=False) as client:
            response = client.get("/overview")
    finally:
        app.close()

    assert "2 of 3 notes can be found by meaning." in text_of(response)
    assert 'stroke-dasharray="66.67 100"' in response.text


@pytest.mark.report("I7")
@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ("local", "local"),
        ("none", "none"),
        ("onnx:BAAI/bge-base-en-v1.5", "onnx:BAAI/bge-base-en-v1.5"),
        ("http://me:secret@host:80/v1?key=secret", "http://host:80/v1"),
        ("https://host/v1", "https://host/v1"),
        ("http:https://me:secret@host/v1", "http:https://host/v1"),
    ],
)
def test_a_setting_is_shown_without_its_password(setting: str, shown: str) -> None:
    assert without_password(setting) == shown
