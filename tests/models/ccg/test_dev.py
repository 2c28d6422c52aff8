"""The development set: p-values of parsers that were trained with several seeds."""

from tests.small_ccg import bank
from treewright.metrics.ccgdeps import Analysis
from treewright.models.ccg.dev import CcgDev, Parsed


def parsed(dev: CcgDev, failures: int, missing: int = 0) -> Parsed:
    """Gold analyses, the first ones without dependencies, the last ones without a parse."""
    found = dict(list(dev.gold.items())[: len(dev.gold) - missing])
    for name in list(found)[:failures]:
        found[name] = Analysis(frozenset(), found[name].supertags)
    return Parsed(found, len(dev.gold), 1.0, {})


def test_seeds_are_compared_by_the_sums_of_their_counts() -> None:
    dev = CcgDev(bank()[:40])
    gold, worse = parsed(dev, 0), parsed(dev, 9)
    one = dev.p_value(gold, worse)
    assert one < 0.01
    assert dev.p_value([gold], [worse]) == one
    assert dev.p_value([gold, gold], [worse, worse]) == one
    # A seed that fails where the other does not makes the systems equal.
    assert dev.p_value([gold, worse], [worse, gold]) == 1.0


def test_only_sentences_count_that_all_seeds_parse() -> None:
    dev = CcgDev(bank()[:40])
    gold, worse, short = parsed(dev, 0), parsed(dev, 9), parsed(dev, 0, missing=35)
    assert dev.p_value([gold, gold], [worse, worse]) < 0.01 < dev.p_value([gold, short], [worse])
