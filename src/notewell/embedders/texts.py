"""What every embedder does to a text before a model or a server sees it.

It knows no model and no library.
"""

from __future__ import annotations

TEXT_LIMIT_CHARS = 4_000
"""Characters of one text that any embedder here reads.

The models read 512 tokens, 2,000 to 2,500 characters of English and fewer of Chinese, so this cuts nothing that counts;
it keeps a note of 1 MiB from being tokenized whole. Raising it changes vectors: the models' ids must change with it.
"""


def safe_text(text: str, limit_chars: int = TEXT_LIMIT_CHARS) -> str:
    """The first ``limit_chars`` characters as text that every tokenizer and JSON reader accepts.

    A lone surrogate becomes ``?`` (UTF-8 cannot carry it), a NUL a space (servers written in C end the text there).
    """
    return text[:limit_chars].encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
