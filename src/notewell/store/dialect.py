"""Every difference between the engines, in one list.

The statements in ``store/sql`` are written once. Where the engines cannot agree, a statement holds ``{name}`` and the
dialect says what stands there; each entry says why.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FULLTEXT = re.compile(r"\{create_fulltext:(\w+)\}")
_TRIGGER = re.compile(r"\{create_trigger:([^:]+):([^}]+)\}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one engine writes for each difference."""

    engine: str
    """``sqlite`` or ``postgres``; also the ending of the migrations that only it runs."""
    without_rowid: str
    """Narrow tables keep their rows inside the primary key on SQLite; PostgreSQL has no such form."""
    blob: str
    """The type of bytes, which the engines name differently."""

    def fill(self, sql: str) -> str:
        """The statement with each difference filled in."""
        sql = _FULLTEXT.sub(lambda match: create_fulltext(match[1]), sql)
        sql = _TRIGGER.sub(r"CREATE TRIGGER \1 BEGIN \2 ; END", sql)
        return sql.replace("{without_rowid}", self.without_rowid).replace("{blob}", self.blob)


SQLITE = Dialect(engine="sqlite", without_rowid="WITHOUT ROWID", blob="BLOB")

# All ASCII punctuation belongs to terms (`c++`, `.net`): only blanks part them, so each analyzed term stays one token.
_TOKENIZER = """tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'\""""


def create_fulltext(home: str) -> str:
    """The statements that make the full-text tables of one home (DESIGN 11): terms, and unstemmed words."""
    return (
        f"CREATE VIRTUAL TABLE fts_{home} USING fts5(title, summary, labels, body, f,"
        f" content='', contentless_delete=1, {_TOKENIZER});\n"
        f"CREATE VIRTUAL TABLE words_{home} USING fts5(title, summary, labels, body, f,"
        f" content='', contentless_delete=1, detail=column, {_TOKENIZER})"
    )
