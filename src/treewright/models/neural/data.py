"""Treebanks for joint training: a sentence in several treebanks is one sentence."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from treewright.arrays import Integers
from treewright.data import conllu, ptb
from treewright.data.brackets import Bracketed, Phrase, Tagged, tagged_words, unescape
from treewright.data.dependency import DependencyTree, Word
from treewright.data.records import Dependency, Derivation, Leaf, Node, fold
from treewright.errors import ConfigError
from treewright.forests.ccg.rules import RARE, RARE_UNARY, RuleLabels, rule_label
from treewright.forests.labelled_spans import LabelledSpan
from treewright.grammar.indices import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.treebank import TOP, prepare
from treewright.grammar.words import plain
from treewright.models.ccg.training import read_treebank
from treewright.models.dependency.tags import BETWEEN, both_tags
from treewright.models.neural.members import (
    ARCS,
    CHAIN,
    FEATS,
    LEMMA,
    POS,
    RULES,
    SLOTS,
    SPANS,
    SUPER,
    TAG,
    tagged_forms,
)
from treewright.models.neural.settings import (
    CcgHeadSettings,
    ConstituencyHeadSettings,
    DependencyHeadSettings,
    JointSettings,
    TreebankSettings,
)
from treewright.text.lemmas import script
from treewright.train.online import Parse
from treewright.train.run import Run

Words = tuple[str, ...]
Names = tuple[str, ...]
LEMMA_CUTOFF = 2
# The reason why a head can lack labels, other than a lack of sentences.
NO_LABELS = {
    SPANS: "no tree whose labels are all as frequent as label_cutoff",
    SUPER: "no lexical entry is as frequent as grammar.entry_cutoff",
}


@dataclass
class Sentences:
    """Distinct sentences with their numbers, and gold by head and number."""

    words: list[Words] = field(default_factory=list)
    repeat: list[int] = field(default_factory=list)
    gold: dict[str, dict[int, Any]] = field(default_factory=dict)
    _number: dict[Words, int] = field(default_factory=dict)

    def number(self, words: Words) -> int | None:
        """The number of a sentence, if it is in the data."""
        return self._number.get(words)

    def add(self, words: Words, repeat: int, **gold: Any) -> None:
        """Adds an annotated sentence; the first annotation of a sentence counts."""
        number = self._number.setdefault(words, len(self.words))
        if number == len(self.words):
            self.words.append(words)
            self.repeat.append(repeat)
        self.repeat[number] = max(self.repeat[number], repeat)
        for name, value in gold.items():
            self.gold.setdefault(name, {}).setdefault(number, value)


@dataclass(frozen=True)
class Corpus:
    """Training and dev sentences, and the labels of each head."""

    train: Sentences
    dev: Sentences
    labels: Mapping[str, Names]


def read_corpus(
    settings: JointSettings,
    heads: Collection[str] = (),
    run: Run | None = None,
    known: Mapping[str, Names] = MappingProxyType({}),
) -> Corpus:
    """Reads all treebanks of the settings, for some heads or all.

    run: records derivations with a step that matches no rule. known: labels by head of a trained
    network, which come first.
    """
    train, dev = Sentences(), Sentences()
    labels: dict[str, Names] = {}
    readers: list[tuple[TreebankSettings, Callable[..., dict[str, Names]]]] = [
        (settings.dep, partial(_dependencies, tagged=settings.neural.encoder.tags)),
        (settings.ccg, partial(_derivations, run=run, with_tags=settings.dep.train is None)),
        (settings.const, _trees),
    ]
    for how, reader in readers:
        if how.train is not None:
            labels |= _checked(reader(how, train, dev, known), how, train)
    kept = {name: each for name, each in labels.items() if not heads or name in heads}
    return Corpus(train, dev, kept)


def _checked(labels: dict[str, Names], how: TreebankSettings, train: Sentences) -> dict[str, Names]:
    """The labels of a treebank's heads; raises an error if a head has none, or no sentences."""
    if empty := [name for name, each in labels.items() if not each or not train.gold.get(name)]:
        none = f"no sentences of 1 to {how.max_words} words"
        why = none if len(empty) == len(labels) else NO_LABELS.get(empty[0], none)
        raise ConfigError(f"{how.train}: nothing to learn from: {why}")
    return labels


def frequent(names: Iterable[str], cutoff: int = 1, known: Names = ()) -> Names:
    """Names that occur often enough, most frequent first.

    If some of them are known, all known names come before them.
    """
    counts = Counter(names)
    kept = [name for name, count in counts.items() if count >= cutoff]
    found = tuple(sorted(kept, key=lambda name: (-counts[name], name)))
    if counts.keys().isdisjoint(known):
        return found
    before = set(known)
    return *known, *(name for name in found if name not in before)


def numbered(row: Iterable[str], number: Mapping[str, int]) -> Integers:
    """The numbers of names; -1 for unknown ones."""
    return np.array([number.get(name, -1) for name in row], np.int64)


def numbers(names: Sequence[str]) -> dict[str, int]:
    """The number of each name."""
    return {name: i for i, name in enumerate(names)}


def _dependencies(
    how: DependencyHeadSettings,
    train: Sentences,
    dev: Sentences,
    known: Mapping[str, Names],
    tagged: bool,
) -> dict[str, Names]:
    """Reads dependency trees. tagged: words have tags, and only arcs are learned."""
    assert how.train is not None
    trees = [tree for tree in conllu.read(how.train) if 0 < len(tree.words) <= how.max_words]
    _check_roots(trees, how)
    words = [word for tree in trees for word in tree.words]
    labels = {ARCS: frequent((word.deprel for word in words), 1, known.get(ARCS, ()))}
    if not tagged:
        labels |= _word_labels(words, known)
    for tree in trees:
        train.add(_tree_words(tree, tagged), how.repeat, **_tree_gold(tree, labels))
    for tree in conllu.read(how.dev) if how.dev else ():
        if tree.words:
            dev.add(_tree_words(tree, tagged), 1, **_tree_gold(tree, labels))
    return labels


def _check_roots(trees: Iterable[DependencyTree], how: DependencyHeadSettings) -> None:
    """Raises an error if trees are not among those that a network sums over."""
    several = sum(sum(word.head == 0 for word in tree.words) > 1 for tree in trees)
    if several and not how.local:
        raise ConfigError(
            f"{how.train}: {several} trees have several roots: networks learn from them with "
            "local = true, log-linear parsers with single_root = false"
        )


def _word_labels(words: Sequence[Word], known: Mapping[str, Names]) -> dict[str, Names]:
    """The labels of words: tags, and features and scripts of lemmas if there are any."""
    labels = {TAG: frequent(map(both_tags, words), 1, known.get(TAG, ()))}
    for name, of_word in ((FEATS, _feats), (LEMMA, _script)):
        cutoff = LEMMA_CUTOFF if name == LEMMA else 1
        found = frequent(map(of_word, words), cutoff, known.get(name, ()))
        if len(found) > 1:
            labels[name] = found
    return labels


def _tree_words(tree: DependencyTree, tagged: bool) -> Words:
    return tagged_forms(tree.words) if tagged else tree.forms


def _tree_gold(tree: DependencyTree, labels: Mapping[str, Names]) -> dict[str, Any]:
    of_word: dict[str, Callable[[Word], str]] = {TAG: both_tags, FEATS: _feats, LEMMA: _script}
    found: dict[str, Any] = {
        name: numbered(map(function, tree.words), numbers(labels[name]))
        for name, function in of_word.items()
        if name in labels
    }
    heads = np.array([word.head for word in tree.words], np.int32)
    relations = numbered((word.deprel for word in tree.words), numbers(labels[ARCS]))
    found[ARCS] = Parse(heads, relations.astype(np.int32))
    return found


def _feats(word: Word) -> str:
    return word.feats


def _script(word: Word) -> str:
    return script(plain(word.form), word.lemma)


def _derivations(
    how: CcgHeadSettings,
    train: Sentences,
    dev: Sentences,
    known: Mapping[str, Names],
    run: Run | None,
    with_tags: bool,
) -> dict[str, Names]:
    """Reads derivations. with_tags: learn POS tags from them; dependency trees have better ones.

    Lexical entries are the treebank's own, because the grammar has no others.
    """
    derivations = training_derivations(how, run)
    lexicon = Lexicon().learn(derivations)
    rows = [[str(entry) for entry in lexicon.closest(d.leaves)] for d in derivations]
    entries = frequent((entry for row in rows for entry in row), how.grammar.entry_cutoff)
    dependencies = [dependencies_of(each) for each in derivations]
    slots = max((d.slot for each in dependencies for d in each), default=min(1, len(rows)))
    labels = {SUPER: entries, SLOTS: tuple(str(slot + 1) for slot in range(slots))}
    if how.rule_cutoff:
        found = (label for each in derivations for *_, label in rule_spans(each))
        names = frequent(found, how.rule_cutoff, known.get(RULES, ()))
        labels[RULES] = tuple(dict.fromkeys((RARE, RARE_UNARY, *names)))
    if with_tags:
        tags = (tag for each in derivations for tag in _leaf_tags(each))
        labels[TAG] = frequent(tags, 1, known.get(TAG, ()))
    for derivation, row, arcs in zip(derivations, rows, dependencies, strict=True):
        gold = _derivation_gold(derivation, row, arcs, labels)
        train.add(derivation.sentence.words, how.repeat, **gold)
    for derivation in read_treebank(how.dev, how.grammar, run) if how.dev else ():
        if derivation.leaves:
            row = [str(entry) for entry in lexicon.closest(derivation.leaves)]
            gold = _derivation_gold(derivation, row, dependencies_of(derivation), labels)
            dev.add(derivation.sentence.words, 1, **gold)
    return labels


def training_derivations(how: CcgHeadSettings, run: Run | None = None) -> list[Derivation]:
    """The training derivations, with head indices."""
    assert how.train is not None
    read = read_treebank(how.train, how.grammar, run)
    return [each for each in read if 0 < len(each.leaves) <= how.max_words]


def _derivation_gold(
    derivation: Derivation,
    row: Sequence[str],
    dependencies: Iterable[Dependency],
    labels: Mapping[str, Names],
) -> dict[str, Any]:
    rows = [(d.functor + 1, d.slot - 1, d.argument + 1) for d in dependencies]
    kept = [each for each in rows if each[1] < len(labels[SLOTS])]
    table = np.array(kept, np.int64).reshape(-1, 3)
    found = {SUPER: numbered(row, numbers(labels[SUPER])), SLOTS: (len(row), table)}
    if RULES in labels:
        number = RuleLabels(labels[RULES]).number
        places = [(begin, end, number(label)) for begin, end, label in rule_spans(derivation)]
        found[RULES] = (len(row), np.array(places, np.int64).reshape(-1, 3))
    if TAG in labels:
        found[TAG] = numbered(_leaf_tags(derivation), numbers(labels[TAG]))
    return found


def rule_spans(derivation: Derivation) -> list[tuple[int, int, str]]:
    """The rules of a derivation: begin, end and label of each."""
    found: list[tuple[int, int, str]] = []

    def leaf(word: int, _: Leaf) -> tuple[int, int]:
        return word, word + 1

    def node(tree: Node, children: list[tuple[int, int]]) -> tuple[int, int]:
        begin, end = children[0][0], children[-1][1]
        label = rule_label(tree.category, [each.category for each in tree.children])
        found.append((begin, end, label))
        return begin, end

    fold(derivation.root, leaf, node)
    return found


def _leaf_tags(derivation: Derivation) -> Names:
    """The POS tags of a derivation, in the form of `both_tags`."""
    return tuple(f"_{BETWEEN}{leaf.pos}" for leaf in derivation.leaves)


def _trees(
    how: ConstituencyHeadSettings, train: Sentences, dev: Sentences, known: Mapping[str, Names]
) -> dict[str, Names]:
    assert how.train is not None
    trees = [tree for each in ptb.read(how.train) if (tree := prepare(each)) is not None]
    kept = [t for t in trees if sum(1 for _ in tagged_words(t)) <= how.max_words]
    found = [(tree, labelled_spans(tree)) for tree in kept]
    all_chains = (chain for _, spans in found for *_, chain in spans)
    chains = frequent(all_chains, how.label_cutoff, known.get(SPANS, ()))
    leaves = (leaf.label for tree in kept for leaf in tagged_words(tree))
    tags = frequent(leaves, 1, known.get(POS, ()))
    number = numbers(chains)
    for tree, spans in found:
        words, pos = words_and_tags(tree)
        rare = any(chain not in number for *_, chain in spans)
        rows: list[LabelledSpan] = [] if rare else [(b, e, number[c]) for b, e, c in spans]
        gold: dict[str, Any] = {POS: numbered(pos, numbers(tags))}
        train.add(words, how.repeat, **gold, **({} if rare else {SPANS: (len(words), rows)}))
    for each in ptb.read(how.dev) if how.dev else ():
        if (tree := prepare(each)) is not None:
            words, pos = words_and_tags(tree)
            due = frozenset((b, e, n) for b, e, c in labelled_spans(tree) for n in counted(c))
            dev.add(words, 1, **{POS: numbered(pos, numbers(tags)), SPANS: (len(words), due)})
    return {SPANS: chains, POS: tags}


def words_and_tags(tree: Bracketed) -> tuple[Words, Names]:
    """The words of a tree, unescaped, and their tags."""
    leaves = list(tagged_words(tree))
    return tuple(unescape(leaf.word) for leaf in leaves), tuple(leaf.label for leaf in leaves)


def counted(chain: str) -> Names:
    """The labels of a unary chain that metrics count."""
    return tuple(label for label in chain.split(CHAIN) if label != TOP)


def labelled_spans(tree: Bracketed) -> list[tuple[int, int, str]]:
    """The constituents of a tree: begin, end, and the labels of all nodes over that span."""
    found: list[tuple[int, int, str]] = []
    # A node with the labels above it; or, at the end of a phrase, its begin with its labels.
    stack: list[tuple[Bracketed | int, list[str]]] = [(tree, [])]
    place = 0
    while stack:
        node, above = stack.pop()
        if isinstance(node, int):
            found.append((node, place, CHAIN.join(above)))
        elif isinstance(node, Phrase):
            chain = [*above, node.label]
            if len(node.children) == 1:
                stack.append((node.children[0], chain))
                continue
            stack.append((place, chain))
            stack.extend((child, []) for child in reversed(node.children))
        else:
            assert isinstance(node, Tagged)
            if above:
                found.append((place, place + 1, CHAIN.join(above)))
            place += 1
    return found
