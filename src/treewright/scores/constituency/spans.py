"""The span model: a fast log-linear model of labelled spans that prunes the charts of other models.

It has no grammar: a tree is a set of spans with classes, and its score is the sum of their scores.
Classes are the labels of binarised trees without annotation; artificial labels are separate, and
rare ones are merged. The core sums over all binary trees (`cpp/constituency/span.hpp`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright import _core
from treewright.arrays import Bytes, Floats32, Indices
from treewright.config import setting
from treewright.grammar.binarise import ARTIFICIAL, bare_label, is_artificial
from treewright.grammar.treebank import Span
from treewright.scores.constituency.templates import Arrays, Tokens, core_tokens

WORD, RARE = "(word)", "(rare)"


@dataclass(frozen=True)
class SpanSettings:
    """Settings of the span model."""

    bits: int = setting(17, "size of the weight matrix: 2^bits rows")
    classes: int = setting(63, "maximum number of classes")
    passes: int = setting(2, "number of epochs")
    rate: float = setting(0.1, "learning rate of AdaGrad")
    threshold: float = setting(1e-4, "prune spans with a posterior below this; 0: no pruning")

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= 24:
            raise ValueError(f"bits must be from 1 to 24, not {self.bits}")
        if self.classes < 4:
            raise ValueError(f"classes must be at least 4, not {self.classes}")
        if self.passes < 1 or not self.rate > 0:
            raise ValueError("passes and rate must be positive")
        if not 0 <= self.threshold < 1:
            raise ValueError(f"threshold must be at least 0 and below 1, not {self.threshold}")


def class_name(symbol: str) -> str:
    """The class name of a symbol of a binarised tree."""
    return bare_label(symbol) + (ARTIFICIAL if is_artificial(symbol) else "")


@dataclass(frozen=True, eq=False)
class SpanClasses:
    """Names of classes: a bare word, rare phrases, rare artificial labels, then by frequency."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, symbols: Counter[str], most: int) -> "SpanClasses":
        """The most frequent classes of counted symbols."""
        counts: Counter[str] = Counter()
        for symbol, count in symbols.items():
            counts[class_name(symbol)] += count
        ranked = sorted(counts, key=lambda name: (-counts[name], name))
        return cls((WORD, RARE, RARE + ARTIFICIAL, *ranked[: max(0, most - 3)]))

    @classmethod
    def of_spans(cls, trees: Iterable[Sequence[Span]], most: int) -> "SpanClasses":
        """The most frequent classes of the nodes of binarised trees."""
        return cls.of(Counter(span.label for spans in trees for span in spans), most)

    @cached_property
    def number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def of_symbol(self, symbol: str) -> int:
        """The class of a symbol."""
        return self.number.get(class_name(symbol), 2 if is_artificial(symbol) else 1)

    @property
    def kinds(self) -> Bytes:
        """0 for a word, 1 for phrases, 2 for artificial labels."""
        kinds = [2 if is_artificial(name) else 1 for name in self.names]
        return np.array([0, *kinds[1:]], dtype=np.uint8)


class SpanModel:
    """A trained span model."""

    def __init__(self, classes: SpanClasses, bits: int, templates: _core.Templates) -> None:
        self.classes, self.bits = classes, bits
        self.core = _core.SpanModel(bits, classes.kinds, templates)

    def weights(self) -> Floats32:
        """The weight matrix, float32 [2^bits, classes rounded up to 16]."""
        return self.core.weights()

    def candidates(self, tokens: Tokens, threshold: float) -> tuple[Indices, Floats32]:
        """Rows (begin, end, class) with a posterior of at least `threshold`, and the posteriors."""
        return self.core.candidates(tokens, threshold)

    def best(self, tokens: Tokens) -> Indices:
        """The rows (begin, end, class) of the best tree, parents first."""
        return self.core.best(tokens)


def train(
    sentences: Sequence[tuple[Arrays, Sequence[Span]]],
    templates: _core.Templates,
    settings: SpanSettings,
    seed: int = 0,
    classes: SpanClasses | None = None,
    on_pass: Callable[[int, float], None] | None = None,
) -> SpanModel:
    """Trains a model on encoded sentences and the spans of their binarised trees."""
    symbols = Counter(span.label for _, spans in sentences for span in spans)
    classes = classes or SpanClasses.of(symbols, settings.classes)
    of_symbol = {symbol: classes.of_symbol(symbol) for symbol in symbols}
    model = SpanModel(classes, settings.bits, templates)
    tables, kinds = zip(*(words for words, _ in sentences), strict=True)
    tokens = core_tokens((np.concatenate(tables), np.concatenate(kinds)))
    rows = [_gold_rows(len(words[0]), spans, of_symbol) for words, spans in sentences]
    first_token = _offsets([len(words[0]) for words, _ in sentences])
    first_span = _offsets([len(each) for each in rows])
    trainer = _core.SpanTrainer(model.core)
    rng = np.random.default_rng(seed)
    for number in range(1, settings.passes + 1):
        order = rng.permutation(len(sentences)).astype(np.int32)
        value = trainer.train(
            first_token,
            tokens,
            first_span,
            np.concatenate(rows).ravel(),
            order,
            settings.rate,
        )
        if on_pass is not None:
            on_pass(number, value)
    return model


def _gold_rows(words: int, spans: Sequence[Span], of_symbol: dict[str, int]) -> Indices:
    """The rows of all nodes; words without a phrase of their own have class 0."""
    rows = [(begin, end, of_symbol[label]) for begin, end, label in spans]
    covered = {begin for begin, end, _ in spans if end - begin == 1}
    rows += [(place, place + 1, 0) for place in range(words) if place not in covered]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def _offsets(sizes: Sequence[int]) -> Indices:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
