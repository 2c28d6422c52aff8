"""Chooses what supertags, dependencies, features and arcs count in a neural CCG parser.

    python -m benchmarks.ccg_weights en-neural-ccg DATA/ccg-ewt/dev.auto --sentences 800

Each weight, and the penalty of minimum risk, takes its turn: the value with the best labelled F on
a random sample of the sentences, words alone, is kept; two rounds. Put the result into the
configuration (`[parser]`), or into a trained model with `--save DIRECTORY`.
"""

import argparse
import random
from dataclasses import dataclass, replace
from pathlib import Path

from treewright.data.auto import read_auto
from treewright.models.ccg.dev import CcgDev
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser

FACTORS = (0.6, 0.8, 1.25, 1.6)  # of each weight, on its turn
SEED = 1


@dataclass(frozen=True)
class Weights:
    """What a derivation's score consists of, and the penalty of its decoder."""

    tagger: float
    slots: float
    features: float
    arcs: float
    penalty: float

    @classmethod
    def of(cls, parser: NeuralCcgParser) -> "Weights":
        how = parser.config
        scores = how.slot_weight, how.feature_weight, how.arc_weight
        return cls(how.search.tagger_weight, *scores, how.inference.penalty)

    def applied(self, parser: NeuralCcgParser) -> NeuralCcgParser:
        """The same parser with these weights."""
        how = replace(
            parser.config,
            slot_weight=self.slots,
            feature_weight=self.features,
            arc_weight=self.arcs,
            search=replace(parser.settings, tagger_weight=self.tagger),
            inference=replace(parser.inference, penalty=self.penalty),
        )
        return parser.with_config(how)


def labelled_f(parser: NeuralCcgParser, weights: Weights, dev: CcgDev) -> float:
    parsed = dev.parse(weights.applied(parser), gold_pos=False)
    return 100 * dev.scores(parsed).labelled.f


def chosen(parser: NeuralCcgParser, dev: CcgDev, rounds: int) -> Weights:
    """Coordinate search from the parser's own weights."""
    best = Weights.of(parser)
    top = labelled_f(parser, best, dev)
    print(f"{top:.2f}  {best}", flush=True)
    for _ in range(rounds):
        for name in ("arcs", "tagger", "slots", "features", "penalty"):
            start = best
            for factor in FACTORS:
                tried = replace(start, **{name: round(getattr(start, name) * factor, 3)})
                value = labelled_f(parser, tried, dev)
                print(f"{value:.2f}  {tried}", flush=True)
                if value > top:
                    best, top = tried, value
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("dev", type=Path)
    parser.add_argument("--sentences", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--arcs", type=float, help="weight of arcs to start with")
    parser.add_argument("--save", type=Path, help="write the parser with the weights chosen")
    options = parser.parse_args()
    model = load(options.model)
    assert isinstance(model, NeuralCcgParser)
    derivations = list(read_auto(options.dev))
    sample = random.Random(SEED).sample(derivations, min(options.sentences, len(derivations)))
    if options.arcs is not None:
        model = model.with_config(replace(model.config, arc_weight=options.arcs))
    best = chosen(model, CcgDev(sample), options.rounds)
    print(f"chosen: {best}")
    if options.save is not None:
        best.applied(model).save(options.save)


if __name__ == "__main__":
    main()
