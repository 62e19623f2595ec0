"""Notes as a memory holds them, made by a seeded generator: no outside data, the same notes in every run.

Natural in what search feels: word frequencies follow Zipf's law, lengths are log-normal with a mean of about 170 words,
one note in ten is Chinese (about 230 characters, each drawn by the one before it), tags, symbols and collections are as
unevenly used as words. Not natural in meaning, so nothing here says how good a ranking is.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from notewell.domain.notes import Draft

VOCABULARY_WORDS = 120_000
FUNCTION_SHARE = 0.42
"""How much of English running text is function words."""
MEAN_WORDS = 170
LENGTH_SIGMA = 0.75
MEAN_CHINESE_CHARS = 230
CHINESE_SHARE = 0.1
CHINESE_CHARS = 3_000
FOLLOWERS = 40
"""How many characters may follow a character: what makes some bigrams common and most absent."""
TAGS = 2_000
SYMBOLS = 5_000
COLLECTIONS = 40
FILED_SHARE = 0.8


def _parts(text: str) -> list[str]:
    return text.split(" ")


_FUNCTION_WORDS = _parts(
    "the of and to a in is that for it as was with be by on not he this are or his from at which but"
)
_ONSETS = _parts("b c d f g h j k l m n p r s t v w st tr pl gr ch sh br cl")
_VOWELS = _parts("a e i o u ea ou ai")
_CODAS = _parts(" n r s t l m nd ck st rt ng")
_ENDINGS = _parts("    ing ed s tion ment ly er")


@dataclass(frozen=True, slots=True)
class NaturalNote:
    """A note to write, and the collection to file it in."""

    draft: Draft
    collection: str | None


@cache
def zipf(count: int, offset: float = 2.7) -> list[float]:
    """Cumulative weights of ``count`` things whose use falls with their rank, for ``random.choices``.

    The offset flattens the top: 30 puts the commonest content word into a quarter of the notes.
    """
    return list(accumulate(1 / (rank + offset) for rank in range(count)))


class NoteMaker:
    """Makes notes; two makers with one seed make the same."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self.words = _vocabulary(self._random, VOCABULARY_WORDS)
        self.chars = [chr(0x4E00 + place) for place in self._random.sample(range(20_000), CHINESE_CHARS)]
        self._char_weights = zipf(CHINESE_CHARS, 30)
        self._followers = {
            char: self._random.choices(self.chars, cum_weights=self._char_weights, k=FOLLOWERS) for char in self.chars
        }
        self.tags = [
            f"{word}-{index}" if index % 3 else word for index, word in enumerate(self.words[500 : 500 + TAGS])
        ]
        self.symbols = _symbols(self._random, SYMBOLS)
        self.collections = [word.title() for word in self.words[3_000 : 3_000 + COLLECTIONS]]

    def notes(self, count: int) -> Iterator[NaturalNote]:
        """The next ``count`` notes."""
        for _ in range(count):
            yield self._note()

    def _note(self) -> NaturalNote:
        is_chinese = self._random.random() < CHINESE_SHARE
        text: Callable[[int], str] = self._chinese if is_chinese else self._english
        mean = MEAN_CHINESE_CHARS if is_chinese else MEAN_WORDS
        length = self._random.lognormvariate(math.log(mean) - LENGTH_SIGMA**2 / 2, LENGTH_SIGMA)
        short = 12 if is_chinese else 6
        draft = Draft(
            title=text(short)[:200],
            summary=text(short * 3)[:1_000],
            body=self._paragraphs(text, max(8, round(length))),
            tags=self._some(self.tags, 3),
            symbols=self._some(self.symbols, 1),
            source="benchmark",
        )
        is_filed = self._random.random() < FILED_SHARE
        collection = self._random.choices(self.collections, cum_weights=zipf(COLLECTIONS))[0]
        return NaturalNote(draft, collection if is_filed else None)

    def _some(self, things: Sequence[str], mean: int) -> tuple[str, ...]:
        """Different ones of these things, none to twice the mean."""
        count = min(2 * mean, round(self._random.expovariate(1 / mean)))
        return tuple(dict.fromkeys(self._random.choices(things, cum_weights=zipf(len(things)), k=count)))

    def _paragraphs(self, text: Callable[[int], str], length: int) -> str:
        parts = []
        while length > 0:
            part = min(length, self._random.randint(30, 90))
            parts.append(text(part))
            length -= part
        return "\n\n".join(parts) + "\n"

    def _english(self, words: int) -> str:
        """Sentences of so many words."""
        functions = round(words * FUNCTION_SHARE)
        chosen = self._random.choices(_FUNCTION_WORDS, cum_weights=zipf(len(_FUNCTION_WORDS)), k=functions)
        chosen += self._random.choices(self.words, cum_weights=zipf(VOCABULARY_WORDS, 30), k=words - functions)
        self._random.shuffle(chosen)
        sentences = []
        place = 0
        while place < len(chosen):
            size = self._random.randint(6, 20)
            sentence = " ".join(chosen[place : place + size])
            sentences.append(sentence[0].upper() + sentence[1:] + ".")
            place += size
        return " ".join(sentences)

    def _chinese(self, chars: int) -> str:
        """Clauses of so many characters, each character one that may follow the one before."""
        clauses = []
        while chars > 0:
            size = min(chars, self._random.randint(4, 15))
            char = self._random.choices(self.chars, cum_weights=self._char_weights)[0]
            clause = [char]
            while len(clause) < size:
                char = self._random.choices(self._followers[char], cum_weights=zipf(FOLLOWERS))[0]
                clause.append(char)
            clauses.append("".join(clause))
            chars -= size
        return "，".join(clauses) + "。"


def _vocabulary(random_: random.Random, count: int) -> list[str]:
    """Distinct pronounceable words, short ones first as in a language, a few identifiers among them."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = 1 + (random_.random() < 0.8) + (random_.random() < min(0.9, len(words) / 20_000))
        word = "".join(
            random_.choice(_ONSETS) + random_.choice(_VOWELS) + random_.choice(_CODAS) for _ in range(syllables)
        )
        word += random_.choice(_ENDINGS)
        if random_.random() < 0.02:
            word = f"{word}-{random_.randint(1, 999)}"
        words[word] = None
    return list(words)


def _symbols(random_: random.Random, count: int) -> list[str]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    found: dict[str, None] = {}
    while len(found) < count:
        kind = random_.random()
        if kind < 0.7:
            found["".join(random_.choices(letters, k=random_.randint(2, 4)))] = None
        elif kind < 0.85:
            found[f"{random_.randint(1, 9999):04d}.HK"] = None
        else:
            found[f"{random_.randint(0, 999999):06d}"] = None
    return list(found)
