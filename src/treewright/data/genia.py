"""The GENIA treebank's XML: each sentence read as a tree in Penn style.

    <sentence id="s1"><cons cat="S"><cons cat="NP" role="SBJ" id="i1"><tok cat="PRP">It</tok></cons>
    <cons cat="VP"><tok cat="VBD">was</tok> <cons cat="VP"><tok cat="VBN">seen</tok>
    <cons cat="NP" null="NONE" ref="i1"/></cons></cons> <tok cat=".">.</tok></cons></sentence>

is `(S (NP-SBJ-1 (PRP It)) (VP (VBD was) (VP (VBN seen) (NP-1 (-NONE- *)))) (. .))`. Function tags
stand in `role`, `sem` and `fctn`; coordinations have `syn="COOD"`, which becomes a tag; remnants of
gapping have `gap`. Other elements in a sentence are ignored, but not their content. Attributes and
values: the GENIA project's manual for bracketing and Tateisi et al. (2005), Syntax annotation for
the GENIA corpus.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from treewright.data.brackets import Bracketed, Phrase, Tagged, escape
from treewright.data.reshape import TRACE
from treewright.errors import FormatError

SENTENCE, PHRASE, WORD = "sentence", "cons", "tok"
MAX_DEPTH = 300  # nested phrases
TRACES = {"NONE": "*", "ZERO": "0", "QSTN": "*?*"}  # other names of traces: T is *T*
TAGS = ("role", "sem", "fctn", "syn")
Attributes = dict[str, str]


@dataclass(slots=True)
class _Open:
    """An element whose content is being read."""

    attributes: Attributes
    children: list["_Open | Tagged"] = field(default_factory=list)

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")


def read(path: Path) -> Iterator[Bracketed]:
    """Reads the trees of a file; sentences without words or traces are left out."""
    sentences = _Sentences()
    parser = expat.ParserCreate()
    parser.StartElementHandler = sentences.start
    parser.EndElementHandler = sentences.end
    parser.CharacterDataHandler = sentences.text
    parser.EntityDeclHandler = _refuse_entities
    try:
        with path.open("rb") as file:
            parser.ParseFile(file)
    except (expat.ExpatError, ValueError) as error:
        raise FormatError(path, parser.CurrentLineNumber, str(error)) from error
    yield from sentences.trees


def _refuse_entities(*_: object) -> None:
    """Refuses entities, because nested ones can expand to any amount of text."""
    raise ValueError("the file declares entities, which are not read")


class _Sentences:
    """Collects the sentences in the elements of a file."""

    def __init__(self) -> None:
        self.trees: list[Bracketed] = []
        self.open: list[_Open] = []  # the sentence and the phrases around the current position
        self.word: tuple[str, list[str]] | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        lower = {key.lower(): value for key, value in attributes.items()}
        if name == SENTENCE or (name == PHRASE and self.open):
            if len(self.open) > MAX_DEPTH:
                raise ValueError(f"phrases are nested more than {MAX_DEPTH} deep")
            self.open.append(_Open(lower if self.open else {}))
        elif name == WORD and self.open:
            if not (tag := _clean(lower.get("cat", ""))):
                raise ValueError("a word without a part of speech")
            self.word = tag, []

    def text(self, text: str) -> None:
        if self.word is not None:
            self.word[1].append(text)
        elif self.open and text.strip():
            raise ValueError(f"{text.strip()!r} is outside <{WORD}>")

    def end(self, name: str) -> None:
        if name == WORD and self.word is not None:
            tag, pieces = self.word
            words = "".join(pieces).split()
            self.open[-1].children += [Tagged(tag, escape(word)) for word in words]
            self.word = None
        elif name in (SENTENCE, PHRASE) and self.open:
            closed = self.open.pop()
            if self.open:
                self.open[-1].children.append(closed)
            elif (tree := _tree(closed, _chains(closed))) is not None:
                self.trees.append(tree)


def _chains(root: _Open) -> dict[str, str]:
    """The final antecedents of traces whose antecedents are traces."""
    stack, chains = [root], {}
    while stack:
        node = stack.pop()
        if node.get("id") and node.get("ref"):
            chains[node.get("id")] = node.get("ref")
        stack += [child for child in node.children if isinstance(child, _Open)]
    final: dict[str, str] = {}
    for start, target in chains.items():
        passed, last = {start: None}, target
        while last in chains and last not in final and last not in passed:
            passed[last] = None
            last = chains[last]
        final |= dict.fromkeys(passed, final.get(last, last))
    return final


def _tree(root: _Open, chains: dict[str, str]) -> Bracketed | None:
    """The tree of an element; None if it is empty."""
    children = [c if isinstance(c, Tagged) else _tree(c, chains) for c in root.children]
    if kind := root.get("null").upper():
        children = [Tagged(TRACE, TRACES.get(kind, f"*{_clean(kind)}*"))]
    kept = tuple(child for child in children if child is not None)
    return Phrase(_label(root, chains), kept) if kept else None


def _label(node: _Open, chains: dict[str, str]) -> str:
    tags = [tag for name in TAGS for tag in node.get(name).split()]
    index = node.get("ref") or node.get("id")
    index = chains.get(index, index)
    numbers = [f"-{_digits(index)}"] if index else []
    gap = [f"={_digits(node.get('gap'))}"] if node.get("gap") else []
    return _clean("".join(["-".join([node.get("cat"), *tags]), *numbers, *gap]))


def _clean(text: str) -> str:
    """A label, tag or trace without spaces and brackets."""
    return escape("".join(text.split()))


def _digits(text: str) -> str:
    """The number in an id, such as i12."""
    if (match := re.search(r"[0-9]+", text)) is None:
        raise ValueError(f"{text!r} has no number")
    return match[0]
