"""Sentences of treebanks as objects like those of parsers (docs/formats.md), gold or parsed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from treewright.data import conllu, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words
from treewright.formats.ccg.objects import derivation_object
from treewright.formats.constituency import tree_object
from treewright.formats.dependency import arcs_object, sentence_object
from treewright.grammar.indices import dependencies_of
from treewright.grammar.treebank import prepare

Values = dict[str, Any]
Source = Path | TextIO


def dependency_objects(source: Source) -> Iterator[Values]:
    """The trees of a CoNLL-U file."""
    for tree in conllu.read(source):
        yield {"kind": "dep", **sentence_object(tree), **arcs_object(tree)}


def bracket_objects(source: Source) -> Iterator[Values]:
    """The trees of a bracket file, prepared as for parsers; `()` is a sentence without words."""
    for number, (_, parse) in enumerate(ptb.read_parses(source), start=1):
        tree = None if parse is None else prepare(parse)
        leaves = [] if tree is None else list(tagged_words(tree))
        words, tags = [leaf.word for leaf in leaves], [leaf.label for leaf in leaves]
        yield {
            "kind": "const",
            "id": str(number),
            "words": words,
            "xpos": tags,
            **tree_object(tree),
        }


def derivation_objects(source: Source) -> Iterator[Values]:
    """The derivations of an AUTO file."""
    for derivation in read_auto(source):
        leaves = derivation.leaves
        words, tags = [leaf.word for leaf in leaves], [leaf.pos for leaf in leaves]
        values = derivation_object(derivation.root, dependencies_of(derivation))
        yield {"kind": "ccg", "id": derivation.id, "words": words, "xpos": tags, **values}


OBJECTS: dict[str, Callable[[Source], Iterator[Values]]] = {
    "conllu": dependency_objects,
    "brackets": bracket_objects,
    "auto": derivation_objects,
}
