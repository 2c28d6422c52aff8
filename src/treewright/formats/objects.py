"""JSON objects of sentences: the keys that all kinds share (docs/formats.md, format 1).

`parse --format json`, `analysis.to_json()`, documents and servers all send these. A change that
old readers cannot bear raises FORMAT.
"""

import json
from collections.abc import Mapping, Sequence

from treewright.data.records import Surface

FORMAT = 1
COLUMNS = ("lemmas", "upos", "xpos", "feats")
Column = Sequence[str | None]


def sentence_object(
    name: str | None, words: Sequence[str], surface: Surface | None, **columns: Column | None
) -> dict[str, object]:
    """What is known of a sentence before it is parsed; what is not known is None.

    columns: `lemmas`, `upos`, `xpos`, `feats`, one value per word.
    """
    offsets = surface.offsets if surface else ()
    return {
        "id": name,
        "text": surface.text if surface else None,
        "words": list(words),
        **{column: known(columns.get(column)) for column in COLUMNS},
        "offsets": [list(each) for each in offsets] if len(offsets) == len(words) else None,
        "spaces": list(surface.spaces) if surface else None,
        "multiword": [each._asdict() for each in surface.multiword] if surface else [],
    }


def known(column: Column | None) -> list[str | None] | None:
    """A column with None for what is empty or `_`; None if nothing is left."""
    found = [None if value in ("", "_") else value for value in column or ()]
    return found if any(value is not None for value in found) else None


def line(values: Mapping[str, object]) -> str:
    """An object on one line."""
    return json.dumps(values, ensure_ascii=False) + "\n"
