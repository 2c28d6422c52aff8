"""Coverage of gold derivations by the CCG grammar: `python -m benchmarks.ccg_gold TREEBANK`.

TREEBANK is a folder with train.auto, dev.auto and dev.parg. Prints the tables of
docs/results/ccg.md: dependencies of dev.auto, read off in several ways, against dev.parg; then the
share of derivations that the rules of train.auto make again; then what is missed, with examples.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from treewright.data.auto import read_auto
from treewright.data.parg import read_parg
from treewright.data.records import Dependency, Derivation, Leaf
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import derive
from treewright.grammar.indices import indexed_dependencies
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import read_entry
from treewright.grammar.rules import RuleSet, read_rules, underivable
from treewright.metrics.ccgdeps import Analysis, labelled_counts

Reader = Callable[[Derivation], list[Dependency]]
EXAMPLES = 12


def readers(lexicon: Lexicon) -> dict[str, Reader]:
    """The ways to read dependencies off a derivation, by name."""
    return {
        "head indices of the leaves": indexed_dependencies,
        "unification, the leaves' own markup": lambda d: derive(
            d, [read_entry(leaf.markup) for leaf in d.leaves], lexicon.unary
        ),
        "unification, learnt entries, closest": lambda d: derive(
            d, lexicon.closest(d.leaves), lexicon.unary
        ),
        "unification, learnt entries, likeliest": lambda d: derive(
            d, lexicon.choose(d.leaves), lexicon.unary
        ),
        "unification, one entry per category": lambda d: derive(
            d, [lexicon.entries(parse(leaf.category))[0] for leaf in d.leaves], lexicon.unary
        ),
        "unification, default rules": lambda d: derive(
            d, [default_entry(parse(leaf.category)) for leaf in d.leaves], default_unary
        ),
    }


Gold = list[tuple[Derivation, frozenset[Dependency]]]


def dependency_rows(gold: Gold, lexicon: Lexicon) -> Iterator[str]:
    yield "| dependencies from | P | R | F | sentences/s |"
    yield "| --- | --- | --- | --- | --- |"
    for name, read in readers(lexicon).items():
        start = time.process_time()
        found = [Analysis(frozenset(read(derivation))) for derivation, _ in gold]
        speed = len(gold) / (time.process_time() - start)
        score = labelled_counts(found, (Analysis(due) for _, due in gold)).score()
        figures = f"{score.p:.2%} | {score.r:.2%} | {score.f:.2%} | {speed:.0f}"
        yield f"| {name} | {figures} |"


def rule_rows(gold: Gold, train: list[Derivation]) -> Iterator[str]:
    yield "| rules of train | kinds | unary | pairs | dev derivations made again |"
    yield "| --- | --- | --- | --- | --- |"
    for name, only_seen in ("any pair of categories", False), ("seen pairs only", True):
        rules = read_rules(train, only_seen=only_seen)
        made = sum(not underivable(derivation, rules) for derivation, _ in gold)
        kinds, pairs = " ".join(rules.kinds), len(rules.seen) or "any"
        share = f"{made} of {len(gold)} ({made / len(gold):.2%})"
        yield f"| {name} | {kinds} | {len(rules.unary)} | {pairs} | {share} |"


def examples(gold: Gold, read: Reader) -> Iterator[str]:
    """Dependencies of the first sentences in which some are missed or made up."""
    shown = 0
    for derivation, due in gold:
        found = frozenset(read(derivation))
        if found == due or shown == EXAMPLES:
            continue
        shown += 1
        words = [leaf.word for leaf in derivation.leaves]
        yield f"{derivation.id}: {' '.join(words)}"
        for sign, rows in ("-", due - found), ("+", found - due):
            for row in sorted(rows):
                functor = f"{words[row.functor]} {row.category} {row.slot}"
                yield f"  {sign} {functor} {words[row.argument]}"


def cause_rows(gold: Gold, lexicon: Lexicon) -> Iterator[str]:
    """What the differences of the likeliest entries come from, sentence by sentence."""
    differences: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    for derivation, due in gold:
        found = derive(derivation, lexicon.choose(derivation.leaves), lexicon.unary)
        if wrong := len(due ^ set(found)):
            name = cause(derivation.leaves, lexicon)
            differences[name] += wrong
            sentences[name] += 1
    yield "| cause | differences | share | sentences |"
    yield "| --- | --- | --- | --- |"
    for name, number in differences.most_common():
        share = number / differences.total()
        yield f"| {name} | {number} | {share:.0%} | {sentences[name]} |"


def cause(leaves: Sequence[Leaf], lexicon: Lexicon) -> str:
    pairs = zip(leaves, lexicon.choose(leaves), strict=True)
    wrong = [leaf for leaf, entry in pairs if entry is not read_entry(leaf.markup)]
    categories = {leaf.category for leaf in wrong}
    if not wrong:
        return "unary rules"
    if any(read_entry(x.markup) not in lexicon.entries(parse(x.category)) for x in wrong):
        return "an entry that train lacks"
    if r"(S\NP)/(S\NP)" in categories:
        return r"`(S\NP)/(S\NP)`"
    return "`S/S`, `NP/NP`" if categories & {"S/S", "NP/NP"} else "other categories"


def main(folder: Path) -> None:
    train = list(read_auto(folder / "train.auto"))
    pairs = zip(read_auto(folder / "dev.auto"), read_parg(folder / "dev.parg"), strict=True)
    gold = [(derivation, frozenset(sentence.rows)) for derivation, sentence in pairs]
    start = time.process_time()
    lexicon = Lexicon().learn(train)
    print(f"{folder.name}: lexicon learnt in {time.process_time() - start:.1f} s of CPU\n")
    print(*dependency_rows(gold, lexicon), "", *rule_rows(gold, train), "", sep="\n")
    print(*cause_rows(gold, lexicon), "", sep="\n")
    for name, read in list(readers(lexicon).items())[1:4]:
        print(f"{name}:", *examples(gold, read), "", sep="\n")
    seen = read_rules(train, only_seen=True)
    print("not made again from seen pairs:", *unmade(gold, seen), sep="\n")


def unmade(gold: Gold, rules: RuleSet) -> Iterator[str]:
    for derivation, _ in gold:
        for node in underivable(derivation, rules):
            children = " ".join(child.category for child in getattr(node, "children", ()))
            yield f"{derivation.id}: {children} -> {node.category}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
