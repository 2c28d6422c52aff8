"""The text formats of CCG analyses, by name; JSON and pictures are elsewhere."""

from collections.abc import Callable, Sequence
from types import MappingProxyType

from treewright.data.auto import format_derivation
from treewright.data.records import Dependency, Derivation
from treewright.formats.ccg.drawing import draw
from treewright.formats.ccg.relations import format_grs
from treewright.formats.ccg.semantics import format_sem, format_sem_json, format_sem_tree
from treewright.formats.ccg.tables import format_conllu, format_deps, format_parg
from treewright.formats.ccg.trees import PROLOG_HEADER, format_prolog, format_xml
from treewright.formats.pages import page_columns

Format = Callable[[Derivation, Sequence[Dependency]], str]


def format_auto(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The two lines of an AUTO file."""
    return format_derivation(derivation) + "\n"


def format_drawing(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The drawing of the derivation, for the terminal or a page of 100 columns."""
    return draw(derivation.root, page_columns())


# What stands before the first analysis of a file, and after the last.
FRAMES = MappingProxyType(
    {
        "xml": ('<?xml version="1.0" encoding="UTF-8"?>\n<analyses>\n', "</analyses>\n"),
        "prolog": (PROLOG_HEADER, ""),
    }
)
FORMATS: dict[str, Format] = {
    "auto": format_auto,
    "parg": format_parg,
    "deps": format_deps,
    "grs": format_grs,
    "sem": format_sem,
    "sem-tree": format_sem_tree,
    "sem-json": format_sem_json,
    "conllu": format_conllu,
    "xml": format_xml,
    "prolog": format_prolog,
    "drawing": format_drawing,
}
