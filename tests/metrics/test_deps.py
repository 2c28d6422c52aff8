"""Dependency scores: by hand, against a naive twin, and on a treebank."""

import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data.conllu import read
from treewright.data.dependency import DependencyTree, MultiwordToken, Word
from treewright.errors import TreewrightError
from treewright.metrics.dependency import score
from treewright.metrics.depnodes import CONTENT, FUNCTIONAL, align_trees, universal_features
from treewright.metrics.deps import METRICS, arc_length_counts, word_counts


def tree_of(rows: str) -> DependencyTree:
    """Rows of form, lemma, upos, xpos, feats, head, deprel."""
    lines = [
        "\t".join((str(i), *row.split(), "_", "_")) for i, row in enumerate(rows.split("\n"), 1)
    ]
    (tree,) = read(io.StringIO("\n".join(lines) + "\n\n"))
    return tree


GOLD = """The the DET DT Definite=Def|PronType=Art 2 det
dog dog NOUN NN Number=Sing 3 nsubj
barks bark VERB VBZ Number=Sing|Foo=Bar 0 root
loudly _ ADV RB _ 3 advmod:manner
. . PUNCT . _ 3 punct"""
PRED = """The the PRON DT PronType=Art|Definite=Def 2 det
dog dog NOUN NN Number=Plur 3 obj
barks barke VERB VBD Number=Sing|Foo=Baz 0 root
loudly loud ADV RB _ 2 advmod
. . PUNCT , _ 3 punct:x"""


def correct_of(pred: str, gold: str, name: str) -> tuple[int, int, int]:
    return word_counts(align_trees([tree_of(pred)], [tree_of(gold)]), METRICS[name]).total()


# Worked out by hand from the rules of universaldependencies.org/conll18/evaluation.html.
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("Words", (5, 5, 5)),
        ("UPOS", (4, 5, 5)),
        ("XPOS", (3, 5, 5)),
        ("UFeats", (4, 5, 5)),
        ("AllTags", (1, 5, 5)),
        ("Lemmas", (4, 5, 5)),
        ("UAS", (4, 5, 5)),
        ("LAS", (3, 5, 5)),
        ("CLAS", (1, 3, 3)),
        ("MLAS", (1, 3, 3)),
        ("BLEX", (0, 3, 3)),
        ("Root", (1, 1, 1)),
    ],
)
def test_metrics_by_hand(name: str, counts: tuple[int, int, int]) -> None:
    assert correct_of(PRED, GOLD, name) == counts
    assert correct_of(GOLD, GOLD, name) == (counts[2],) * 3


def test_mlas_sees_function_words() -> None:
    pred = GOLD.replace("the DET", "the PRON")
    assert correct_of(pred, GOLD, "CLAS") == (3, 3, 3)
    assert correct_of(pred, GOLD, "MLAS") == (2, 3, 3)


def test_arc_lengths_by_hand() -> None:
    aligned = align_trees([tree_of(PRED)] * 2, [tree_of(GOLD)] * 2)
    assert arc_length_counts(aligned, labelled=False).rows() == [(7, 8, 8)] * 2
    assert arc_length_counts(aligned, labelled=True).rows() == [(6, 8, 8)] * 2


def plain(*arcs: tuple[str, int], tokens: tuple[MultiwordToken, ...] = ()) -> DependencyTree:
    words = (Word(form, form, "X", "_", "_", head, "dep", "_", "_") for form, head in arcs)
    return DependencyTree(tuple(words), tokens=tokens)


def test_other_sentence_boundaries() -> None:
    gold = [plain(("a", 0)), plain(("b", 2), ("c", 0))]
    aligned = align_trees([plain(("a", 0), ("b", 1), ("c", 1))], gold)
    assert word_counts(aligned, METRICS["UAS"]).rows() == [(1, 1, 1), (0, 2, 2)]
    assert word_counts(aligned, METRICS["Root"]).rows() == [(1, 1, 1), (0, 0, 1)]


def test_a_token_across_a_sentence_boundary() -> None:
    token = MultiwordToken(1, 2, "ab", "_", "_")
    pred = [plain(("a", 0), ("b", 0), tokens=(token,))]
    aligned = align_trees(pred, [plain(("a", 0)), plain(("b", 0))])
    assert word_counts(aligned, METRICS["LAS"]).rows() == [(1, 1, 1), (1, 1, 1)]


def test_other_tokens_have_an_aligned_accuracy() -> None:
    gold, pred = plain(("ab", 2), ("c", 0), ("d", 2)), plain(("a", 0), ("b", 1), ("c", 0), ("d", 1))
    found = score([pred], [gold])
    uas = found.words["UAS"]
    assert (uas.score.correct, uas.score.produced, uas.score.due) == (1, 4, 3)
    assert uas.aligned_accuracy == 0.5
    assert found.words["Words"].score.correct == 2
    assert found.exact_unlabelled == 0


def test_tokens_and_sentences() -> None:
    token = MultiwordToken(1, 2, "ab", "_", "_")
    gold = [plain(("a", 0), ("b", 1), tokens=(token,)), plain(("c", 0)), plain(("d", 0))]
    pred = [plain(("a", 0), ("b", 1)), plain(("c", 0), ("d", 1))]
    found = {name: row.score for name, row in score(pred, gold).words.items()}
    tokens, sentences = found["Tokens"], found["Sentences"]
    assert (tokens.correct, tokens.produced, tokens.due) == (2, 4, 3)
    assert (sentences.correct, sentences.produced, sentences.due) == (1, 2, 3)


def test_breakdowns() -> None:
    long = plain(("w", 0), *[("w", 1)] * 40)
    found = score([tree_of(PRED), long], [tree_of(GOLD), long])
    assert {name: row.sentences for name, row in found.by_length.items()} == {"1-10": 1, "41-": 1}
    assert found.by_length["1-10"].labelled.f == 0.6
    assert found.by_length["41-"].unlabelled.f == 1
    assert next(iter(found.by_relation)) == "dep"
    assert list(found.by_relation)[-1] == "obj"
    assert (found.by_relation["advmod"].correct, found.by_relation["punct"].correct) == (0, 1)
    assert (found.by_relation["obj"].produced, found.by_relation["obj"].due) == (1, 0)
    assert (found.exact_labelled, found.arc_length_labelled) == (0.5, (6 + 821) / (8 + 821))


def test_nothing_to_score() -> None:
    with pytest.raises(TreewrightError, match="no sentences"):
        score([], [])


# The naive twin, for one tokenisation: one loop a metric, over tuples.

FEATS = ["_", "Case=Nom", "Case=Nom|Foo=1", "Foo=2"]


@st.composite
def tree_pairs(draw: st.DrawFn) -> tuple[DependencyTree, DependencyTree]:
    size = draw(st.integers(1, 6))

    def tree() -> DependencyTree:
        words = []
        for i in range(size):
            upos, lemma = draw(st.sampled_from("XY")), draw(st.sampled_from(["_", "l"]))
            relation = draw(st.sampled_from(["nsubj", "det", "case:x", "punct", "obl:y"]))
            head, feats = draw(st.integers(0, i)), draw(st.sampled_from(FEATS))
            words.append(Word(f"w{i}", lemma, upos, "_", feats, head, relation, "_", "_"))
        return DependencyTree(tuple(words))

    return tree(), tree()


def naive_key(tree: DependencyTree, i: int, name: str, gold: DependencyTree) -> object:
    word = tree.words[i]
    arc = word.head, word.deprel.split(":")[0]
    if name in {"LAS", "CLAS"}:
        return arc
    if name == "BLEX":
        return arc, gold.words[i].lemma == "_" or word.lemma
    below = {
        (j, w.deprel.split(":")[0], w.upos, universal_features(w.feats))
        for j, w in enumerate(tree.words)
        if w.head == i + 1 and w.deprel.split(":")[0] in FUNCTIONAL
    }
    return arc, word.upos, universal_features(word.feats), below


@pytest.mark.parametrize("name", ["LAS", "CLAS", "BLEX", "MLAS"])
@given(pair=tree_pairs())
def test_the_naive_twin(name: str, pair: tuple[DependencyTree, DependencyTree]) -> None:
    pred, gold = pair
    content = [
        [i for i, rel in enumerate(t.deprels) if name == "LAS" or rel.split(":")[0] in CONTENT]
        for t in pair
    ]
    right = [
        i for i in content[1] if naive_key(pred, i, name, gold) == naive_key(gold, i, name, gold)
    ]
    found = word_counts(align_trees([pred], [gold]), METRICS[name]).total()
    assert found == (len(right), len(content[0]), len(content[1]))


def test_features() -> None:
    assert universal_features("Number=Sing|Foo=Bar|Case=Nom") == "Case=Nom|Number=Sing"
    assert universal_features("_") == ""


def spoilt(tree: DependencyTree) -> DependencyTree:
    """The first word of every pair that both hang on one head takes the wrong relation."""
    words = list(tree.words)
    for i, (a, b) in enumerate(pairwise(tree.words)):
        if a.head == b.head:
            words[i] = a._replace(deprel="wrong")
    return DependencyTree(tuple(words), tree.comments, tree.tokens, tree.empty_nodes)


def test_ewt() -> None:
    gold = list(read(treebank_file("dep-ewt/dev.conllu")))
    perfect = score(gold, gold)
    assert {row.score.f for row in perfect.words.values()} == {1}
    assert perfect.arc_length_labelled == perfect.exact_labelled == 1
    wrong = sum(int((np.diff(tree.heads) == 0).sum()) for tree in gold)
    las = score([spoilt(tree) for tree in gold], gold).words["LAS"].score
    assert (las.due - las.correct, las.produced) == (wrong, sum(map(len, gold)))
