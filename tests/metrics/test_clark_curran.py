"""The evaluation of Clark and Curran, on counts that can be checked by hand."""

from treewright.data.records import Dependency
from treewright.metrics.ccgdeps import Analysis, clark_curran

SUBJECT = Dependency(2, r"S[dcl]\NP", 1, 1)
DETERMINER = Dependency(0, "NP[nb]/N", 1, 1)
BARE = Dependency(0, "NP/N", 1, 1)
CONJUNCT = Dependency(1, "conj", 1, 2)
TAGS = ("NP[nb]/N", "N", r"S[dcl]\NP")


def test_scores() -> None:
    gold = {name: Analysis(frozenset({SUBJECT, DETERMINER}), TAGS) for name in "abc"}
    pred = {
        "a": Analysis(frozenset({SUBJECT, BARE, CONJUNCT}), ("NP/N", *TAGS[1:])),
        "b": Analysis(frozenset({SUBJECT}), TAGS),
    }
    found = clark_curran(pred, gold).as_dict()
    assert found["LP"] == found["UP"] == 1.0
    assert found["LR"] == 0.75
    assert (found["LSENT"], found["USENT"]) == (0.5, 0.5)
    assert (found["CAT"], found["COV"], found["sentences"]) == (1.0, 2 / 3, 3)
