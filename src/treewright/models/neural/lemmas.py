"""Lemmas of a network, among the edit scripts that are possible for a word's ending."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from treewright.arrays import Floats32
from treewright.data.dependency import DependencyTree
from treewright.grammar.words import plain
from treewright.models.dependency.tags import BETWEEN
from treewright.models.neural.members import LEMMA
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.tagger import NetworkTagger
from treewright.scores.tagging.encoder import Words
from treewright.text.endings import Endings
from treewright.text.lemmas import script

ENDINGS = f"{LEMMA}.endings"  # a text in the network's bundle


class LemmaTagger(NetworkTagger):
    """Selects the best-scored edit script among those possible for a word.

    Networks without a table of endings, trained by older versions, choose among all scripts.
    """

    def __init__(self, network: TrainedNetwork) -> None:
        super().__init__(network, LEMMA)
        self.endings = Endings.parse(network.bundle.texts.get(ENDINGS, ""), len(self.tags))

    def _table(self, sentences: Sequence[Words], pos: Sequence[Words] | None) -> Floats32:
        table = super()._table(sentences, pos)
        if pos is None:
            return table
        given = zip(chain.from_iterable(sentences), chain.from_iterable(pos), strict=True)
        for row, (form, tag) in zip(table, given, strict=True):
            if allowed := self.endings.scripts(form, tag.partition(BETWEEN)[0]):
                kept = row[list(allowed)]
                row[:] = -np.inf
                row[list(allowed)] = kept
        return table


def learnt_endings(trees: Sequence[DependencyTree], scripts: Sequence[str]) -> str:
    """The text of the table of endings of a treebank."""
    number = {each: i for i, each in enumerate(scripts)}
    words = (word for tree in trees for word in tree.words)
    found = ((w.form, w.upos, number.get(script(plain(w.form), w.lemma), -1)) for w in words)
    return Endings.learn(found, scripts).text()
