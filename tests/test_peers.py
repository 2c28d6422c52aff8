"""What comparisons with other parsers count (`benchmarks`)."""

from io import StringIO

from benchmarks.const_networks import with_gold_tags
from treewright.data import ptb
from treewright.grammar.binarise import Binariser
from treewright.metrics.brackets import match_tree
from treewright.models.constituency.data import Item


def test_parses_without_tags_get_those_of_the_treebank() -> None:
    gold, found = ptb.read(
        StringIO(
            "(S (NP (NN sleep)) (VP (VBZ helps)) (. .))\n(TOP (S (NP (_ sleep)) (_ helps) (_ .)))"
        )
    )
    item = Item(gold, Binariser().binarise(gold), ("sleep", "helps", "."), ("NN", "VBZ", "."))
    tagged = with_gold_tags(found, item)
    assert tagged is not None
    assert ptb.format_tree(tagged) == "(TOP (S (NP (NN sleep)) (VBZ helps) (. .)))"
    match = match_tree(tagged, gold)
    assert (match.correct, match.produced, match.due) == (2, 2, 3)  # neither TOP nor full stop
    assert with_gold_tags(None, item) is None
