"""The client for OpenAI-compatible embedding servers, against a real server on the loopback."""

from __future__ import annotations

import gzip
import socket
import traceback
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from embedding_server import EmbeddingServer, Reply, as_json, embedding_server, good_answer, vector_of

from notewell.embedders.http import HttpEmbedder, HttpLimits, HttpServer
from notewell.embedders.http_answer import retry_after_seconds
from notewell.embedders.pooling import unit_rows
from notewell.embedders.prefixes import Prefixes
from notewell.errors import InvalidArgument, SemanticUnavailable

KEY = "sk-very/secret+0123456789"


class Time:
    """A clock that only sleeping moves, so that no test waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def make(server: EmbeddingServer, time: Time) -> Iterator[_Maker]:
    maker = _Maker(server, time)
    yield maker
    for embedder in maker.made:
        embedder.close()


class _Maker:
    """Makes embedders for the running server and closes them with the test."""

    def __init__(self, server: EmbeddingServer, time: Time) -> None:
        self.made: list[HttpEmbedder] = []
        self._server = HttpServer(server.url, "m", KEY)
        self._time = time

    def __call__(self, limits: HttpLimits | None = None, **changes: object) -> HttpEmbedder:
        settings = replace(self._server, limits=limits or HttpLimits(), **changes)  # type: ignore[arg-type]  # by name
        self.made.append(HttpEmbedder(settings, clock=self._time.clock, sleep=self._time.sleep))
        return self.made[-1]


def expected(texts: list[str]) -> object:
    return pytest.approx(unit_rows(np.array([vector_of(text) for text in texts])))


def test_rows_follow_the_texts_though_the_answer_is_in_another_order(server: EmbeddingServer, make: _Maker) -> None:
    texts = ["b", "aaa", "降息", "z" * 50]
    found = make().embed_documents(texts)
    assert found == expected(texts)
    assert found.dtype == np.float32
    assert server.asked[0].path == "/v1/embeddings"
    assert server.asked[0].body == {"model": "m", "input": texts, "encoding_format": "float"}
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_authorization_is_sent(server: EmbeddingServer, make: _Maker) -> None:
    make(key=None).embed_queries(["a"])
    assert "authorization" not in server.asked[0].headers


def test_batches_keep_within_both_limits(server: EmbeddingServer, make: _Maker) -> None:
    texts = ["a" * size for size in (1, 2, 3, 90, 20, 5, 100, 1)]
    found = make(HttpLimits(batch_texts=3, batch_chars=100)).embed_documents(texts)
    assert found == expected(texts)
    assert [[len(text) for text in asked.body["input"]] for asked in server.asked] == [
        [1, 2, 3],
        [90],
        [20, 5],
        [100],
        [1],
    ]


def test_no_text_asks_nothing(server: EmbeddingServer, make: _Maker) -> None:
    embedder = make(dimension=3)
    assert embedder.embed_documents([]).shape == (0, 3)
    assert server.asked == []


def test_prefixes_stand_before_queries_and_documents(server: EmbeddingServer, make: _Maker) -> None:
    embedder = make(prefixes=Prefixes("find: ", "note: "))
    embedder.embed_queries(["a"])
    embedder.embed_documents(["b"])
    assert [asked.body["input"] for asked in server.asked] == [["find: a"], ["note: b"]]


def test_a_known_model_gets_the_prefix_of_its_card(server: EmbeddingServer, make: _Maker) -> None:
    embedder = make(model="BAAI/bge-base-en-v1.5")
    embedder.embed_queries(["a"])
    embedder.embed_documents(["b"])
    sent = [asked.body["input"] for asked in server.asked]
    assert sent == [["Represent this sentence for searching relevant passages: a"], ["b"]]


def test_hostile_texts_are_sent_in_a_form_that_every_server_takes(server: EmbeddingServer, make: _Maker) -> None:
    make(HttpLimits(text_chars=10)).embed_documents(["", "\x00nul", "\ud800", "a" * (1 << 20)])
    assert server.asked[0].body["input"] == [" ", " nul", "?", "a" * 10]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_with_growing_waits(
    server: EmbeddingServer, make: _Maker, time: Time, status: int
) -> None:
    server.replies = [as_json({"error": "busy"}, status)] * 3
    assert make().embed_documents(["a"]) == expected(["a"])
    assert time.slept == [0.5, 1, 2]


def test_a_broken_connection_is_tried_again(server: EmbeddingServer, make: _Maker, time: Time) -> None:
    server.replies = [Reply(b"", hang_up=True)]
    assert make().embed_documents(["a"]) == expected(["a"])
    assert time.slept == [0.5]


def test_the_servers_own_wait_is_kept(server: EmbeddingServer, make: _Maker, time: Time) -> None:
    server.replies = [as_json({}, 429, retry_after="7"), as_json({}, 503, retry_after="0")]
    make().embed_documents(["a"])
    assert time.slept == [7, 1]


def test_a_wait_that_is_too_long_is_told_instead_of_slept(server: EmbeddingServer, make: _Maker, time: Time) -> None:
    server.replies = [as_json({}, 429, retry_after="3600")]
    with pytest.raises(SemanticUnavailable, match="asks for fewer requests") as error:
        make().embed_documents(["a"])
    assert time.slept == []
    assert error.value.details == {"retryAfterSeconds": 3600}


def test_tries_end(server: EmbeddingServer, make: _Maker, time: Time) -> None:
    server.answer = lambda _: as_json({"error": {"message": "out of memory"}}, 500)
    with pytest.raises(SemanticUnavailable, match="answered 500: out of memory"):
        make().embed_documents(["a"])
    assert (len(server.asked), time.slept) == (5, [0.5, 1, 2, 4])


def test_a_search_gives_up_sooner_than_a_job(server: EmbeddingServer, make: _Maker, time: Time) -> None:
    server.answer = lambda _: as_json({}, 503)
    with pytest.raises(SemanticUnavailable, match="answered 503"):
        make(HttpLimits(query_seconds=2)).embed_queries(["a"])
    assert time.slept == [0.5, 1]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "answered 400: no such input"),
        (401, "refused the key"),
        (404, "no such address or model"),
        (413, "too long"),
    ],
)
def test_a_lasting_failure_is_not_tried_again(server: EmbeddingServer, make: _Maker, status: int, reason: str) -> None:
    server.answer = lambda _: as_json({"error": {"message": "no such input"}}, status)
    with pytest.raises(SemanticUnavailable, match=reason):
        make().embed_documents(["a"])
    assert len(server.asked) == 1


def test_a_redirect_is_not_followed_with_the_key(server: EmbeddingServer, make: _Maker) -> None:
    server.replies = [Reply(b"", 307, {"location": f"{server.url}/elsewhere"})]
    with pytest.raises(SemanticUnavailable, match="answered 307, which sends elsewhere"):
        make().embed_documents(["a"])
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_named(time: Time) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        embedder = HttpEmbedder(
            HttpServer(f"http://127.0.0.1:{taken.getsockname()[1]}/v1", "m"), clock=time.clock, sleep=time.sleep
        )
        with pytest.raises(SemanticUnavailable, match=r"http://127\.0\.0\.1:\d+/v1/embeddings could not be reached"):
            embedder.embed_documents(["a"])
        embedder.close()
    assert time.slept == [0.5, 1, 2, 4]


def row(vector: object, index: object = 0) -> dict[str, object]:
    return {"index": index, "embedding": vector}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        None,
        {"data": None},
        {"data": {"index": 0}},
        {"data": [{"index": 0}]},
        {"data": ["x"]},
        {"data": []},
        {"data": [row([1.0])] * 2},
        {"data": [row([1.0], 1)]},
        {"data": [row([1.0], "0")]},
        {"data": [row([])]},
        {"data": [row(1.0)]},
        {"data": [row([[1.0]])]},
        {"data": [row([1.0, None])]},
        {"data": [row([1.0, "two"])]},
        {"data": [row("AACAPwAAgD8=")]},
        {"data": [row([1.0, float("nan")])]},
        {"data": [row([1.0, 10**400])]},
        {"data": [row([0.0, 0.0])]},
    ],
)
def test_an_answer_of_another_shape_is_refused(server: EmbeddingServer, make: _Maker, answer: object) -> None:
    server.answer = lambda _: as_json(answer)
    with pytest.raises(SemanticUnavailable, match="answer cannot be used"):
        make().embed_documents(["a"])


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"\xff\xfe", b'{"data": [{"index": 0, "emb'])
def test_an_answer_that_is_no_json_is_refused(server: EmbeddingServer, make: _Maker, body: bytes) -> None:
    server.answer = lambda _: Reply(body)
    with pytest.raises(SemanticUnavailable, match="answer cannot be used"):
        make().embed_documents(["a"])


def test_rows_of_unlike_size_are_refused(server: EmbeddingServer, make: _Maker) -> None:
    server.answer = lambda _: as_json({"data": [row([1.0]), row([1.0, 2.0], 1)]})
    with pytest.raises(SemanticUnavailable, match="answer cannot be used"):
        make().embed_documents(["a", "b"])


def test_the_dimension_is_learned_from_the_first_answer_and_then_kept(server: EmbeddingServer, make: _Maker) -> None:
    embedder = make()
    dimensions = [embedder.dimension]
    embedder.embed_documents(["a"])
    assert [*dimensions, embedder.dimension] == [None, 3]
    server.answer = lambda _: as_json({"data": [row([1.0, 2.0])]})
    with pytest.raises(SemanticUnavailable, match="vectors of 2 numbers where 3 were expected"):
        embedder.embed_documents(["a"])


def test_a_dimension_that_was_set_is_checked(make: _Maker) -> None:
    with pytest.raises(SemanticUnavailable, match="3 numbers where 768 were expected"):
        make(dimension=768).embed_documents(["a"])


def test_an_answer_without_end_is_given_up(server: EmbeddingServer, make: _Maker) -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    server.answer = lambda _: Reply(bomb, headers={"content-encoding": "gzip"})
    with pytest.raises(SemanticUnavailable, match="more than 100000 bytes"):
        make(HttpLimits(answer_bytes=100_000)).embed_documents(["a"])
    assert len(server.asked) == 1


def test_an_answer_that_drips_is_given_up(server: EmbeddingServer, time: Time) -> None:
    ticks = iter(range(10_000))
    settings = HttpServer(server.url, "m", limits=HttpLimits(documents_seconds=1))
    embedder = HttpEmbedder(settings, clock=lambda: float(next(ticks)), sleep=time.sleep)
    with pytest.raises(SemanticUnavailable, match="did not finish its answer in time"):
        embedder.embed_documents(["a"])
    embedder.close()


def test_a_body_that_is_not_compressed_as_it_says_is_refused(server: EmbeddingServer, make: _Maker) -> None:
    server.answer = lambda _: Reply(b"not gzip", headers={"content-encoding": "gzip"})
    with pytest.raises(SemanticUnavailable, match="cannot be read"):
        make().embed_documents(["a"])


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_the_key_is_in_no_error_though_the_server_repeats_it(
    server: EmbeddingServer, make: _Maker, status: int
) -> None:
    server.answer = lambda _: as_json({"error": {"message": f"bad key {KEY} " + "x" * 170 + KEY}}, status)
    embedder = make()
    with pytest.raises(SemanticUnavailable) as error:
        embedder.embed_documents(["a"])
    told = "".join(traceback.format_exception(error.value)) + str(error.value.as_dict()) + embedder.model_id
    assert KEY[:8] not in told


def test_the_key_is_not_shown_with_the_settings() -> None:
    assert KEY not in repr(HttpServer("http://127.0.0.1/v1", "m", KEY))


@pytest.mark.parametrize("key", ["sk-secret\n", "sk secret", "sk-gehe\u00efm", "sk-\x00secret"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(InvalidArgument, match="NOTEWELL_EMBEDDER_KEY must be") as error:
        HttpEmbedder(HttpServer("http://127.0.0.1/v1", "m", key))
    assert "sk" not in error.value.message


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:80", "ftp://a/v1", "http://", "http://a:port/", "http://[::1", "file:///x"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="address of the embedding server"):
        HttpEmbedder(HttpServer(url, "m"))


def test_a_key_inside_the_address_is_refused_without_showing_it() -> None:
    with pytest.raises(InvalidArgument, match="use NOTEWELL_EMBEDDER_KEY") as error:
        HttpEmbedder(HttpServer("http://user:secret@127.0.0.1/v1", "m"))
    assert "secret" not in error.value.message


def test_a_model_without_a_name_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="set NOTEWELL_EMBEDDER_MODEL"):
        HttpEmbedder(HttpServer("http://127.0.0.1/v1", " "))


def test_the_id_changes_with_server_model_and_prefixes_and_hides_the_query(make: _Maker) -> None:
    one = make()
    others = [make(model="n"), make(prefixes=Prefixes("q: ")), make(url="http://127.0.0.2/v1?key=secret")]
    ids = [each.model_id for each in (one, *others)]
    assert len(set(ids)) == 4
    assert make().model_id == one.model_id
    assert not any("secret" in each for each in ids)


def test_an_address_may_end_with_the_operation(server: EmbeddingServer, make: _Maker) -> None:
    make(url=f"{server.url}/embeddings/").embed_queries(["a"])
    assert server.asked[0].path == "/v1/embeddings"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("120", 120),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 60),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0),
        ("soon", None),
        ("-5", None),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, now=60) == seconds


def test_the_script_of_the_test_server_answers_in_reverse() -> None:
    assert good_answer(["a", "b"]).body.index(b'"index": 1') < good_answer(["a", "b"]).body.index(b'"index": 0')
