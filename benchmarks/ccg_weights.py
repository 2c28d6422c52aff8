"""Tunes the weights of supertags, dependencies, features, rules and arcs of a neural CCG parser.

    python -m benchmarks.ccg_weights en-neural-ccg DATA/ccg-ewt/dev.auto --sentences 800

Each weight, and the penalty of minimum risk, takes its turn: the value with the best labelled F on
a random sample of the sentences, words alone, is kept; two rounds. A weight of 0 stays 0. Then the
first and the best weights are scored on the other sentences. Put the result into the configuration
(`[parser]`), or into a trained model with `--save DIRECTORY`. `--rounds 0` only scores.
"""

import argparse
from dataclasses import dataclass, fields, replace
from pathlib import Path

from benchmarks.weights import chosen, split
from treewright.data.auto import read_auto
from treewright.metrics.ccgdeps import CcgScores
from treewright.models.ccg.dev import CcgDev
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser


@dataclass(frozen=True)
class Weights:
    """What a derivation's score consists of, and the penalty of its decoder."""

    tagger: float
    slots: float
    features: float
    rules: float
    arcs: float
    penalty: float

    @classmethod
    def of(cls, parser: NeuralCcgParser) -> "Weights":
        how = parser.config
        scores = how.slot_weight, how.feature_weight, how.rule_weight, how.arc_weight
        return cls(how.search.tagger_weight, *scores, how.inference.penalty)

    def applied(self, parser: NeuralCcgParser) -> NeuralCcgParser:
        """The same parser with these weights."""
        how = replace(
            parser.config,
            slot_weight=self.slots,
            feature_weight=self.features,
            rule_weight=self.rules,
            arc_weight=self.arcs,
            search=replace(parser.settings, tagger_weight=self.tagger),
            inference=replace(parser.inference, penalty=self.penalty),
        )
        return parser.with_config(how)


def scored(parser: NeuralCcgParser, weights: Weights, dev: CcgDev) -> CcgScores:
    return dev.scores(dev.parse(weights.applied(parser), gold_pos=False))


def shown(scores: CcgScores) -> str:
    parts = scores.labelled.f, scores.unlabelled.f, scores.supertags
    return "LF {:.2f}, UF {:.2f}, supertags {:.2f}".format(*(100 * each for each in parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("dev", type=Path)
    parser.add_argument("--sentences", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=2)
    for name in ("--tagger", "--slots", "--features", "--rules", "--arcs", "--penalty"):
        parser.add_argument(name, type=float, help="start value; default: the model's")
    parser.add_argument("--save", type=Path, help="write the parser with the weights chosen")
    options = parser.parse_args()
    model = load(options.model)
    assert isinstance(model, NeuralCcgParser)
    derivations = list(read_auto(options.dev))
    sample, rest = split(derivations, options.sentences)
    dev = CcgDev(sample)
    given = {field.name: getattr(options, field.name) for field in fields(Weights)}
    start = replace(Weights.of(model), **{k: v for k, v in given.items() if v is not None})
    best = chosen(start, lambda w: 100 * scored(model, w, dev).labelled.f, options.rounds)
    print(f"chosen: {best}")
    for weights in dict.fromkeys((start, best)):
        print(f"other {len(rest)} sentences: {shown(scored(model, weights, CcgDev(rest)))}")
    if options.save is not None:
        best.applied(model).save(options.save)


if __name__ == "__main__":
    main()
