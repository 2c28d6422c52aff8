"""Adds the scores of a log-linear model to those of a neural one, with the best weight.

    python -m benchmarks.feature_weights en-neural-dep DEV.conllu --features runs/dep/model
    python -m benchmarks.feature_weights en-neural-const DEV.mrg --features en-const
    python -m benchmarks.feature_weights en-neural-ccg DEV.auto --features runs/super/model

The weight of the log-linear scores, and for constituents the penalty of minimum risk, take their
turns: the value with the best score (LAS, F1 or accuracy) on a random half of the sentences, words
alone, is kept. Then the neural model alone and both together are scored on the other half; p is by
approximate randomisation. Put the weight into the configuration (`feature_weight`), or into a
trained model with `--save DIRECTORY`. `--rounds 0` only scores. Of a CCG parser, it takes the
supertagger, or with `--pos` the POS tagger; `benchmarks.ccg_weights` is for the parser itself.
"""

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from benchmarks.weights import chosen, split
from treewright.data import conllu, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words
from treewright.data.records import Sentence
from treewright.grammar.treebank import prepare
from treewright.metrics.counts import Counts, corpus_score
from treewright.metrics.sentences import const_counts, dep_counts
from treewright.metrics.significance import approximate_randomisation
from treewright.models.installed import model_directory
from treewright.models.kinds import load
from treewright.models.neural.arc_features import log_linear_arcs
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.chart_features import log_linear_charts
from treewright.models.neural.constituency import NeuralConstParser
from treewright.models.neural.dependency import NeuralDependencyParser
from treewright.models.neural.tagging import (
    NetworkPosTagger,
    NetworkSupertagger,
    log_linear_tags,
    with_features,
)

SHORT = 40  # words
Taggers = NetworkPosTagger | NetworkSupertagger
Neural = NeuralDependencyParser | NeuralConstParser | NetworkPosTagger | NetworkSupertagger


@dataclass(frozen=True)
class Weights:
    """The weight of log-linear scores, and the penalty of minimum risk; 0: not used."""

    features: float
    penalty: float = 0.0

    def applied(self, parser: Neural) -> Neural:
        """A model with features, with these weights."""
        if isinstance(parser, Taggers):
            assert parser.features is not None
            return with_features(parser, parser.features.tagger, self.features)
        made: Any = parser.with_settings(feature_weight=self.features)
        return made.with_settings(penalty=self.penalty) if self.penalty else made


def trees_of(model: Neural, path: Path) -> list[Any]:
    """The gold trees of a treebank."""
    if isinstance(model, Taggers):
        return list(read_auto(path))
    if isinstance(model, NeuralDependencyParser):
        return list(conllu.read(path))
    return [tree for tree in map(prepare, ptb.read(path)) if tree is not None]


def counts(parser: Neural, gold: Sequence[Any]) -> dict[str, Counts]:
    """Counts of the main metrics per sentence, with words alone as input; the first one counts."""
    if isinstance(parser, NeuralDependencyParser):
        pred = [each.tree for each in parser.parse_many(map(parser.untagged, gold))]
        found = dep_counts(pred, gold)
        return {name: found[name] for name in ("LAS", "UAS")}
    if isinstance(parser, Taggers):
        column = "category" if isinstance(parser, NetworkSupertagger) else "pos"
        due = [[getattr(leaf, column) for leaf in each.leaves] for each in gold]
        got = [each.tags for each in parser.parse_many(each.sentence.words for each in gold)]
        rows = ((sum(map(eq, a, b)), len(a), len(a)) for a, b in zip(due, got, strict=True))
        return {"accuracy": Counts.of_rows(rows)}
    words = [[leaf.word for leaf in tagged_words(tree)] for tree in gold]
    trees = [each.tree for each in parser.parse_many(map(Sentence.of, words))]
    every = const_counts(trees, gold)["brackets"]
    short = np.array([len(row) <= SHORT for row in words])
    return {"F1": every, f"F1, up to {SHORT} words": every.subset(short)}


def percent(found: Counts) -> float:
    return 100 * corpus_score(found, "f1")


def combined(model: Neural, name: str, pruned: float) -> Neural:
    """The model with the scores of a log-linear one."""
    directory = model_directory(name)
    if isinstance(model, NeuralDependencyParser):
        return model.with_features(log_linear_arcs(directory, pruned), 0.0)
    if isinstance(model, NeuralConstParser):
        return model.with_features(log_linear_charts(directory, pruned), 0.0)
    return with_features(model, log_linear_tags(directory, model.kind, pruned), 0.0)


def report(alone: Neural, both: Neural, rest: Sequence[Any]) -> str:
    """Scores on the other sentences, and the p-values of the differences."""
    rows: list[tuple[str, ...]] = []
    first: dict[str, Counts] = {}
    for name, parser in {"network": alone, "network and features": both}.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            began = time.process_time()
            found = counts(parser, rest)
            seconds = time.process_time() - began
        failed = sum("parsed by the network alone" in str(each.message) for each in caught)
        cells = []
        for metric, each in found.items():
            test = approximate_randomisation(each, first[metric]) if first else None
            cells += [f"{percent(each):.2f}", f"{test.p_value:.3f}" if test else ""]
        first = first or found
        rows.append((name, *cells, str(failed), f"{len(rest) / seconds:.0f}"))
    columns = [each for metric in first for each in (metric, "p")]
    return markdown(["scores", *columns, "without a chart", "sentences/s"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="neural model")
    parser.add_argument("--pos", action="store_true", help="of a CCG parser, the POS tagger")
    parser.add_argument("dev", type=Path)
    parser.add_argument("--features", required=True, help="log-linear model")
    parser.add_argument("--pruned", type=float, default=0.0, help="as the setting of this name")
    parser.add_argument("--weight", type=float, default=0.3, help="start value")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write the parser with the weights chosen")
    options = parser.parse_args()
    alone: Any = load(options.model)
    if isinstance(alone, NeuralCcgParser):
        tagger = alone.supertagger
        alone = NetworkPosTagger(tagger.network) if options.pos else tagger
    both = combined(alone, options.features, options.pruned)
    gold = trees_of(alone, options.dev)
    sample, rest = split(gold, len(gold) // 2)
    penalty = alone.config.penalty if isinstance(alone, NeuralConstParser) else 0.0
    start = Weights(options.weight, penalty)

    def score(weights: Weights) -> float:
        return percent(next(iter(counts(weights.applied(both), sample).values())))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best = chosen(start, score, options.rounds)
    how = f"chosen on {len(sample)} sentences: " if options.rounds else ""
    print(f"{how}{best}; on the other {len(rest)}:\n")
    print(report(alone, best.applied(both), rest))
    print(f"\npeak RSS {peak_mb():.0f} MB")
    if options.save is not None:
        best.applied(both).save(options.save)


if __name__ == "__main__":
    main()
