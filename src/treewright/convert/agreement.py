"""Categories that a conversion assigned beside categories assigned by hand.

The hand-made ones are `word|POS|category` with spaces between them, one sentence per line, in the
order of the trees. Sentences whose words differ are left out and counted. `[nb]` is ignored.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treewright.data.brackets import unescape
from treewright.data.lines import read_lines
from treewright.data.records import Derivation
from treewright.errors import FormatError
from treewright.grammar.category import NON_BARE

Tagged = list[tuple[str, str]]


@dataclass
class Agreement:
    """Counts of words and of disagreements (by hand, by conversion)."""

    words: int = 0
    agreeing: int = 0
    sentences: int = 0
    unlike: int = 0
    missing: int = 0
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        return self.agreeing / self.words if self.words else 0.0


def read_tagged(path: Path) -> list[Tagged]:
    """The words and categories of each sentence of a file."""
    sentences = []
    for number, line in read_lines(path):
        fields = [token.rsplit("|", 2) for token in line.split()]
        if any(len(token) != 3 for token in fields):
            raise FormatError(path, number, "expected word|POS|category, with spaces between them")
        sentences.append([(_plain(word), category) for word, _, category in fields])
    return sentences


def _plain(word: str) -> str:
    return unescape(word).replace("\\/", "/")


def compare(derivations: Iterable[Derivation], gold: Sequence[Tagged]) -> Agreement:
    """Compare derivations, whose names end in the number of the sentence, with tagged sentences.

    A sentence without a derivation counts with all its words as disagreeing.
    """
    totals = Agreement()
    known = {int(d.id.rpartition(".")[2]): d for d in derivations}
    for number, sentence in enumerate(gold, start=1):
        totals.sentences += 1
        if number not in known:
            totals.missing += 1
            totals.words += len(sentence)
        else:
            _compare(known[number], sentence, totals)
    return totals


def _compare(derivation: Derivation, sentence: Tagged, totals: Agreement) -> None:
    leaves = derivation.leaves
    if [_plain(leaf.word) for leaf in leaves] != [word for word, _ in sentence]:
        totals.unlike += 1
        return
    for leaf, (_, category) in zip(leaves, sentence, strict=True):
        wanted, given = (text.replace(NON_BARE, "") for text in (category, leaf.category))
        totals.words += 1
        totals.agreeing += wanted == given
        if wanted != given:
            totals.confusions[wanted, given] += 1
