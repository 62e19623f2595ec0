"""What a page says of an error: where its message tells an agent what to call, a person is told what to do here.

Every other message stands as it is. It must not know requests or templates.
"""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from notewell.domain.notes import MAX_COLLECTION_CHARS
from notewell.errors import NotewellError
from notewell.surfaces.web.language import Translator
from notewell.surfaces.web.visible import visible

_OWN = {
    ("not_found", "problem"): "said.no_problem",
    ("forbidden", "attempt_id"): "said.other_attempt",
    ("frozen", "attempt_id"): "said.frozen",
    ("invalid_argument", "collection"): "said.collection_name",
    ("invalid_argument", "startsWith"): "said.beginning",
}
"""The texts for what an error says of an argument; each may be filled with ``most``, a number of characters."""
_NAMES_SHOWN = 10


def said(error: NotewellError, t: Translator) -> Markup:
    """A sentence for the person who reads the page, in their language where it is the page's own."""
    if error.code == "unknown_collection":
        names = error.details.get("collections")
        shown = [str(each) for each in names][:_NAMES_SHOWN] if isinstance(names, Iterable) else []
        return t("said.unknown_collection", names=", ".join(shown)) if shown else t("said.no_collections")
    if error.code == "forbidden" and "scope" in error.details:
        return t("said.admin_only") if error.details["scope"] == "admin" else t("said.not_allowed")
    if error.code == "version_conflict":
        return t("said.changed")
    key = _OWN.get((error.code, str(error.details.get("argument", ""))))
    return visible(error.message) if key is None else t(key, most=MAX_COLLECTION_CHARS)
