"""Additional supervision: the `[[augment]]` list of a training configuration.

Each entry names sentences, what of them is known, and the loss by which k-best lists are ranked:

    [[augment]]
    data = "questions.conllu"
    supervision = "root"          # trees, partial, root, order or none
    loss = "root"                 # of treewright.losses.trees, "reordering", or "module:function"
    schedule = 1.0                # examples for each tree of the treebank
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.arrays import Indices
from treewright.config import setting
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.grammar.reorder import HEAD_FINAL, Reorderer, read_rules
from treewright.losses.costs import imported, is_code
from treewright.losses.trees import UNKNOWN, GoldTree, TreeLoss, only_root, tree_loss_named
from treewright.metrics.reordering import reordering_score
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.train.augmented import K_BEST, DataSet, Ranked, Rooted, Update

Supervision = Literal["trees", "partial", "root", "order", "none"]
REORDERING, ORDER = "reordering", "# order = "
BLANK = "_"


@dataclass(frozen=True)
class AugmentSettings:
    """A data set to learn from in addition to the treebank."""

    data: Path = setting(Path("augment.conllu"), "sentences (CoNLL-U)")
    supervision: Supervision = setting(
        "trees",
        "what the data annotate: trees; partial: words with a relation other than _; root;"
        " order: the comment '# order = 3 1 2'; none: nothing, for a custom loss",
    )
    loss: str = setting(
        "arc-length-labelled",
        "name, or module:function of heads, labels and the tree (needs `train --allow-code`)",
    )
    schedule: float = setting(1.0, "number of examples per treebank tree")
    k: int = setting(K_BEST, "size of the k-best lists")
    rate: float = setting(1.0, "update size; updates on treebank trees have size 1")
    search: Literal["list", "forced"] = setting(
        "list",
        "source of the better tree: list: the k-best list; forced: a search among trees with"
        " the gold root (needs supervision = root)",
    )
    rules: str = setting(HEAD_FINAL, "reordering rules: a TOML file or a built-in rule set")

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError(f"k must be at least 2, not {self.k}: there is nothing to rank")
        if not (self.schedule > 0 and self.rate > 0):
            raise ValueError("schedule and rate must be positive")
        if self.search == "forced" and not (self.supervision == self.loss == "root"):
            raise ValueError("search = forced needs supervision = root and loss = root")
        if (self.supervision == "order") != (self.loss == REORDERING):
            raise ValueError("loss = reordering needs supervision = order")
        if self.supervision == "none" and not is_code(self.loss):
            raise ValueError("supervision = none needs a custom loss, module:function")


def augmented_set(
    settings: AugmentSettings, trees: Iterable[DependencyTree], encoder: TreeEncoder
) -> DataSet:
    """The data set of an `[[augment]]` entry, given the sentences of its file."""
    make = _rooted if settings.search == "forced" else _ranked(settings, encoder)
    examples = [make(encoder.encode(tree.words), tree, settings.rate) for tree in trees]
    return DataSet(f"{settings.data.stem} ({settings.loss})", examples, settings.schedule)


def _rooted(sentence: EncodedSentence, tree: DependencyTree, rate: float) -> Update:
    _check_root(tree)
    return Rooted(sentence, tree.heads.tolist().index(0) + 1, rate)


def _check_root(tree: DependencyTree) -> None:
    if 0 not in tree.heads:
        raise TreewrightError(f"sentence {tree.id or '?'}: no word has head 0")


def _ranked(
    settings: AugmentSettings, encoder: TreeEncoder
) -> Callable[[EncodedSentence, DependencyTree, float], Update]:
    loss_of = _loss_maker(settings, encoder)
    return lambda sentence, tree, rate: Ranked(sentence, loss_of(tree), settings.k, rate)


def _loss_maker(
    settings: AugmentSettings, encoder: TreeEncoder
) -> Callable[[DependencyTree], TreeLoss]:
    if settings.loss == REORDERING:
        return partial(order_loss, rules=read_rules(settings.rules), relations=encoder.relations)
    if is_code(settings.loss):
        own = imported(settings.loss)
        return lambda tree: lambda heads, labels: float(own(heads, labels, tree))
    named = tree_loss_named(settings.loss)
    return lambda tree: named(known_tree(tree, encoder, settings.supervision))


def known_tree(tree: DependencyTree, encoder: TreeEncoder, supervision: Supervision) -> GoldTree:
    """The known part of a tree under this supervision; relations unseen in training are unknown."""
    number = encoder.relation_number
    labels = np.array([number.get(name, UNKNOWN) for name in tree.deprels], np.int32)
    heads = tree.heads.astype(np.int32)
    if supervision == "root":
        _check_root(tree)
        return only_root(GoldTree(heads, labels))
    if supervision == "partial":
        blank = np.array([name == BLANK for name in tree.deprels], np.bool_)
        heads = np.where(blank, UNKNOWN, heads).astype(np.int32)
    return GoldTree(heads, labels)


def order_loss(tree: DependencyTree, rules: Reorderer, relations: tuple[str, ...]) -> TreeLoss:
    """1 - the reordering score of a tree against the order in the sentence's comment."""
    wanted, upos = reference_order(tree), tree.upos

    def loss(heads: Indices, labels: Indices) -> float:
        names = [relations[label] for label in labels.tolist()]
        return 1.0 - reordering_score(rules.order(heads.tolist(), names, upos), wanted)

    return loss


def order_of(tree: DependencyTree, rules: Reorderer) -> list[int]:
    """The words, counted from 1, in the order that the rules derive from a tree."""
    return rules.order(tree.heads.tolist(), tree.deprels, tree.upos)


def with_order(tree: DependencyTree, rules: Reorderer) -> DependencyTree:
    """The sentence with its order in a comment."""
    order = " ".join(map(str, order_of(tree, rules)))
    return replace(tree, comments=(*tree.comments, f"{ORDER}{order}"))


def has_order(tree: DependencyTree) -> bool:
    """Whether the sentence has an order in a comment."""
    return any(line.startswith(ORDER) for line in tree.comments)


def reference_order(tree: DependencyTree) -> list[int]:
    """The order in the comment `# order = 2 1 3`, words counted from 1."""
    orders = [line.removeprefix(ORDER) for line in tree.comments if line.startswith(ORDER)]
    words = orders[0].split() if orders else []
    if sorted(words, key=lambda w: (len(w), w)) != [str(i + 1) for i in range(len(tree))]:
        raise TreewrightError(
            f"sentence {tree.id or '?'}: needs a comment '{ORDER}' with every word's number once"
        )
    return [int(word) for word in words]
