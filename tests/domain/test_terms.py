"""The analyzer, rule by rule: the examples of DESIGN 3."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notewell.domain.terms import MAX_TERM_CHARS, analyze, index_terms

unhurried = settings(deadline=None)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
"""Lone surrogates and NULs among it."""
SIGNS = "#+.(|\"'\\1a降息ー가ㄱㅏㄳﾡￂไทéﬁİǅ㍿𝒳🏽👩🇨\u0301\u0345\u3099\ufe0f\u20e3\u200d\0\ud800\x7f"
GAPS = " \n\r\x1c\x85\xa0\u2028\u3000"
PIECES = ("C++", ".NET", "ﾊﾟ", "e\u0301", "Retrying", "\r\n", *SIGNS, *GAPS)
DIFFICULT_TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
"""Pieces that fold, compose, part or join in their own ways."""
TEXTS = ANY_TEXT | DIFFICULT_TEXT


def terms(text: str) -> list[str]:
    """The terms of a text, which the index must hold as well."""
    found = [term.text for term in analyze(text)]
    assert index_terms(text)[0] == found
    return found


def words(text: str) -> list[str]:
    """The unstemmed words of a text in order."""
    return [term.word for term in analyze(text)]


# Folding


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "muller"),
        ("ΆΛΦΑ", "αλφα"),
        ("STRASSE", "straße"),
        ("ＮＶＤＡ", "nvda"),
        ("ﬁle", "file"),
        ("Блины", "блины"),
        ("Cafe\u0301", "café"),
        ("ﾊﾟﾝ", "パン"),
        ("ㄱㅏ", "가"),
        ("ﾡￂ", "가"),
        ("①", "1"),
    ],
)
def test_two_spellings_of_a_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(("one", "other"), [("パ", "ハ"), ("й", "и"), ("น้ำ", "นำ"), ("が", "か"), ("कि", "क")])
def test_marks_outside_latin_and_greek_tell_words_apart(one: str, other: str) -> None:
    assert terms(one) != terms(other)


# Words


@pytest.mark.parametrize(
    ("text", "stem"),
    [("retry", "retri"), ("running", "run"), ("indexes", "index"), ("rebuilt", "rebuilt"), ("Müllers", "muller")],
)
def test_words_of_latin_script_become_their_porter_stem(text: str, stem: str) -> None:
    assert terms(text) == [stem]


@pytest.mark.parametrize("text", ["is", "as", "us", "s3s", "unique1s", "1990s"])
def test_words_of_two_letters_and_words_with_digits_are_not_stemmed(text: str) -> None:
    assert terms(text) == [text]


@pytest.mark.parametrize("text", ["блины", "σύννεφα", "שלומות", "नमस्ते"])
def test_other_alphabets_are_not_stemmed(text: str) -> None:
    assert terms(text) == words(text)
    assert len(terms(text)) == 1


def test_a_term_keeps_its_word_as_it_was_before_stemming() -> None:
    assert words("Retrying Müllers") == ["retrying", "mullers"]


def test_the_index_holds_each_unstemmed_word_once_and_no_bigram_or_emoji() -> None:
    assert index_terms("Retry retry 降息 🎉 C++")[1] == {"retry", "c++"}


def test_a_term_longer_than_64_characters_is_cut() -> None:
    assert [len(text) for text in terms("x1" * 200)] == [64]


@pytest.mark.parametrize("text", ["", "   ", "*** --- ()", "\0", "\ud800", "…，。", "\u200b", "\u0301"])
def test_a_text_without_letters_digits_and_emoji_has_no_terms(text: str) -> None:
    assert terms(text) == []


# Runs


def test_a_run_becomes_its_overlapping_bigrams_and_its_last_character() -> None:
    assert terms("降息预期") == ["降息", "息预", "预期", "期"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("カタカナ", ["カタ", "タカ", "カナ", "ナ"]),
        ("データ", ["デー", "ータ", "タ"]),
        ("금리인하", ["금리", "리인", "인하", "하"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("ລາວ", ["ລາ", "າວ", "ວ"]),
        ("ខ្មែ", ["ខ្", "្ម", "មែ", "ែ"]),
        ("မြန်", ["မြ", "ြန", "န်", "်"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_one_character_alone_is_one_term() -> None:
    assert terms("息") == ["息"]


def test_an_inner_run_keeps_its_last_single_character() -> None:
    assert terms("降息NVDA") == ["降息", "息", "nvda"]


def test_a_run_next_to_latin_letters_ends_their_word() -> None:
    assert terms("NVDA降息预期") == ["nvda", "降息", "息预", "预期", "期"]


def test_punctuation_inside_a_run_parts_it() -> None:
    assert terms("降，息") == ["降", "息"]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_single_line_break_between_two_characters_joins_them(line_break: str) -> None:
    assert terms(f"降息{line_break}预期") == terms("降息预期")


@pytest.mark.parametrize("gap", ["\n\n", " ", "\n ", "\t"])
def test_any_other_gap_between_two_characters_parts_them(gap: str) -> None:
    assert terms(f"降息{gap}预期") == ["降息", "息", "预期", "期"]


def test_a_line_break_beside_a_latin_word_joins_nothing() -> None:
    assert terms("rate\ncut") == ["rate", "cut"]


# Compounds and terms with signs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("blue-node-116", ["blue", "node", "116"]),
        ("GB/s", ["gb", "s"]),
        ("v2.4.7", ["v2", "4", "7"]),
        ("a@b.com", ["a", "b", "com"]),
        ("BRK.B", ["brk", "b"]),
        (r"C:\repo", ["c", "repo"]),
        ("don't", ["don", "t"]),
        ("foo_bar", ["foo", "bar"]),
        ("1.10", ["1", "10"]),
    ],
)
def test_a_compound_token_falls_into_its_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize("text", ["C++", "C#", "F#", ".NET", "(C++)", "C++,", "C#.", "«.NET»", '"C#"', "(.NET)"])
def test_the_closed_list_of_signed_terms_stands_alone(text: str) -> None:
    assert terms(text) == [text.strip('(),."«»').lower() if ".NET" not in text else ".net"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ASP.NET", ["asp", ".net"]),
        ("C++17", ["c++", "17"]),
        ("example.net", ["exampl", "net"]),
        ("x++", ["x"]),
        ("C", ["c"]),
        ("A#", ["a"]),
        ("\x1c.NET", [".net"]),
    ],
)
def test_what_is_near_a_signed_term_reads_as_the_design_says(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


# Emoji


@pytest.mark.parametrize("text", ["🚀", "🎉", "❤️", "🇨🇳"])
def test_an_emoji_is_one_term(text: str) -> None:
    assert terms(text) == [text.removesuffix("\ufe0f")]


@pytest.mark.parametrize("text", ["👍🏽", "👩‍💻"])
def test_an_emoji_of_several_parts_is_found_by_the_same_emoji(text: str) -> None:
    assert terms(text) != []
    assert terms(f"x {text} y")[1:-1] == terms(text)


# Places


def test_each_term_knows_its_place_in_the_source() -> None:
    source = "Die ﬁle: 降息 C++"

    places = [(term.text, source[term.start : term.end]) for term in analyze(source)]

    assert places == [("die", "Die"), ("file", "ﬁle"), ("降息", "降"), ("息", "息"), ("c++", "C++")]


def test_a_place_counts_characters_of_the_source_and_not_of_its_normal_form() -> None:
    source = "㍿ e\u0301te\u0301 end"

    last = list(analyze(source))[-1]

    assert source[last.start : last.end] == "end"


# What holds for every text


@unhurried
@given(TEXTS)
@example("ㄱㅏ")
@example("\x1c.NET")
def test_the_index_holds_the_same_terms_and_words_as_the_analysis_of_any_text(text: str) -> None:
    found = list(analyze(text))

    assert index_terms(text) == ([term.text for term in found], {term.word for term in found} - {""})


@unhurried
@given(TEXTS)
def test_places_lie_in_the_source_in_order(text: str) -> None:
    found = list(analyze(text))

    assert all(0 <= term.start < term.end <= len(text) for term in found)
    assert all(one.start <= other.start and one.end <= other.end for one, other in pairwise(found))


@unhurried
@given(TEXTS)
def test_no_term_is_empty_or_holds_what_parts_terms_in_an_engine(text: str) -> None:
    for term in analyze(text):
        for part in (term.text, term.word):
            assert len(part) <= MAX_TERM_CHARS
            assert all(char > " " and char not in ("\x7f", "|") for char in part)
        assert term.text


@unhurried
@given(TEXTS)
def test_composed_and_decomposed_text_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))

    assert index_terms(composed) == index_terms(decomposed) == index_terms(text)
    assert terms(composed) == terms(decomposed)


@unhurried
@given(TEXTS)
def test_analyzing_is_the_same_again_once_it_is_remembered(text: str) -> None:
    assert list(analyze(text)) == list(analyze(text))


@unhurried
@given(TEXTS)
def test_white_space_around_a_text_changes_no_term(text: str) -> None:
    assert index_terms(f"\n {text} \n") == index_terms(text)
