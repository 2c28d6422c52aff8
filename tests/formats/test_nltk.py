"""Trees and derivations to NLTK and back."""

from io import StringIO

import pytest

from tests.small_ccg import bank
from treewright.data import ptb
from treewright.data.records import leaves, preorder
from treewright.errors import TreewrightError
from treewright.formats.nltk import (
    derivation_from_nltk,
    derivation_to_nltk,
    tree_from_nltk,
    tree_to_nltk,
)

nltk = pytest.importorskip("nltk")
TREE = "(S (NP (DT the) (NN dog)) (VP (VBZ sleeps)) (-LRB- -LRB-))"


def test_trees_there_and_back() -> None:
    tree = next(ptb.read(StringIO(TREE)))
    made = tree_to_nltk(tree)
    assert made.leaves() == ["the", "dog", "sleeps", "("]
    assert ptb.format_tree(tree_from_nltk(made)) == TREE
    assert ptb.format_tree(tree_from_nltk(nltk.Tree.fromstring(TREE))) == TREE
    with pytest.raises(TreewrightError, match="words beside others"):
        tree_from_nltk(nltk.Tree.fromstring("(S (NN a) b)"))


def test_derivations_there_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    for derivation in bank()[:20]:
        made = derivation_to_nltk(derivation.root)
        assert made.leaves() == [leaf.word for leaf in derivation.leaves]
        again = derivation_from_nltk(made)
        plain = [tree.category.replace("[conj]", "") for tree in preorder(derivation.root)]
        assert [tree.category for tree in preorder(again)] == plain
        assert [leaf.word for leaf in leaves(again)] == made.leaves()
        nltk.ccg.chart.printCCGDerivation(made)
    assert "NP" in capsys.readouterr().out
