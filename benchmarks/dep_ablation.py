"""Ablation of the transition-based parser: LAS on dev, speed, training time.

    python -m benchmarks.dep_ablation data/dep-ewt --threshold 0.95

Every row trains on the first sentences of train.conllu with gold tags and parses dev.conllu with
the same beam, on one core; CPU seconds.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.table import markdown
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.inference.transition import TransitionParser
from treewright.models.dependency.algorithms import Found, TrainingData
from treewright.models.dependency.settings import DependencySettings, TransitionSettings
from treewright.models.dependency.training import training_data
from treewright.models.dependency.transition.algorithm import new_learner
from treewright.scores.dependency.state_sets import ADDED, SETS

HEADER = ("parser", "UAS", "LAS", "training s", "sentences/s", "features")


@dataclass(frozen=True)
class Trees:
    train: Sequence[DependencyTree]
    dev: Sequence[DependencyTree]

    def data(self, settings: DependencySettings) -> TrainingData:
        words = [[tree.words for tree in trees] for trees in (self.train, self.dev)]
        return training_data(settings, *words)


def variants(threshold: float) -> dict[str, DependencySettings]:
    how = TransitionSettings(threshold=threshold)
    default = DependencySettings(tagger=False, transition=how)

    def with_templates(lines: Sequence[str]) -> TransitionSettings:
        return replace(how, features="zhang-nivre", templates=list(lines))

    def transition(**changes: object) -> DependencySettings:
        return replace(default, transition=replace(how, **changes))  # type: ignore[arg-type]

    found = {"default (rich)": default}
    found |= {name: transition(features=name) for name in SETS if name != "rich"}
    for left_out in ADDED:
        lines = [line for name in ADDED if name != left_out for line in ADDED[name]]
        found[f"without {left_out}"] = replace(default, transition=with_templates(lines))
    found["arc-hybrid"] = replace(default, algorithm="arc-hybrid")
    greedy = replace(how, beam=1)
    found["arc-hybrid, beam 1"] = replace(default, algorithm="arc-hybrid", transition=greedy)
    found["the same, dynamic oracle"] = replace(
        default, algorithm="arc-hybrid", transition=replace(greedy, oracle="dynamic")
    )
    found["early update"] = transition(update="early")
    found["reduce early"] = transition(reduce_early=True)
    found["passive-aggressive 0.1"] = transition(aggressiveness=0.1, threshold=0.0)
    found["every weight kept"] = transition(threshold=0.0)
    found["all forms known"] = replace(default, form_cutoff=0)
    found["beam 1"], found["beam 4"] = transition(beam=1), transition(beam=4)
    found["beam 16"] = transition(beam=16)
    return found


def measure(settings: DependencySettings, trees: Trees, passes: int) -> list[str]:
    """One row of the table."""
    data, how = trees.data(settings), settings.transition
    began = time.process_time()
    learner = new_learner(settings, data)
    corpus = learner.corpus(data.sentences, data.gold)
    rng = np.random.default_rng(1)
    for _ in range(passes):
        learner.learn_all(corpus, rng.permutation(len(corpus)))
    trained = time.process_time() - began
    parser = TransitionParser(learner.shape, learner.averaged(), how.beam)
    times = []
    for _ in range(2):
        began = time.process_time()
        found = parser.parse_batch(data.dev_sentences)
        times.append(time.process_time() - began)
    uas, las = data.dev_scores([Found(*tree) for tree in found])
    speed, features = len(trees.dev) / min(times), len(parser.arrays["keys"])
    return [f"{uas:.2f}", f"{las:.2f}", f"{trained:.0f}", f"{speed:,.0f}", f"{features:,}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="a folder with train.conllu and dev.conllu")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--passes", type=int, default=4)
    parser.add_argument("--threshold", type=float, default=TransitionSettings().threshold)
    parser.add_argument("--only", nargs="*", help="names of rows")
    options = parser.parse_args()
    train = list(islice(conllu.read(options.data / "train.conllu"), options.sentences))
    trees = Trees(train, list(conllu.read(options.data / "dev.conllu")))
    rows = []
    for name, settings in variants(options.threshold).items():
        if not options.only or name in options.only:
            rows.append([name, *measure(settings, trees, options.passes)])
            print(*rows[-1], sep="\t", flush=True)
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
