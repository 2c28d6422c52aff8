"""Viterbi, minimum risk, BP and DD with a neural supertagger and a neural CCG parser.

    python -m benchmarks.neural_joint en-neural-ccg DATA/ccg-ewt/dev.auto --sentences 800

Parses a random sample of the sentences from words alone. "parser alone" has no scores of the
supertagger, which only gives it its beams. All other systems have the supertagger's scores with the
model's weight: as scores of lexical entries, or as a factor of their own. p-values are those of
approximate randomisation on labelled F over the sentences that both systems parse.
"""

import argparse
import random
from collections.abc import Mapping
from pathlib import Path

from benchmarks.table import markdown
from treewright.data.auto import read_auto
from treewright.models.ccg.dev import CcgDev, Parsed
from treewright.models.kinds import load
from treewright.models.neural.ccg import NeuralCcgParser

SEED, VITERBI, MIN_RISK = 1, "Viterbi", "minimum risk"
SYSTEMS: Mapping[str, Mapping[str, object]] = {
    VITERBI: {"decoder": "viterbi"},
    MIN_RISK: {"decoder": "min-risk"},
    "BP, 1 iteration": {"decoder": "bp", "iterations": 1},
    "BP, 25 iterations": {"decoder": "bp", "iterations": 25},
    "DD, 1 iteration": {"decoder": "dd", "iterations": 1},
    "DD, 25 iterations": {"decoder": "dd", "iterations": 25},
    "Viterbi, parser alone": {"decoder": "viterbi", "tagger_weight": 0.0},
    "minimum risk, parser alone": {"decoder": "min-risk", "tagger_weight": 0.0},
}


def rows(dev: CcgDev, parses: Mapping[str, Parsed]) -> list[list[str]]:
    found = []
    for name, parsed in parses.items():
        scores = dev.scores(parsed)
        figures = scores.labelled.f, scores.unlabelled.f, scores.supertags
        p_values = [
            "" if name == other else f"{dev.p_value(parsed, parses[other]):.4f}"
            for other in (VITERBI, MIN_RISK)
        ]
        shown = (f"{100 * each:.2f}" for each in figures)
        found.append([name, *shown, f"{parsed.speed:.0f}", *p_values])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("dev", type=Path)
    parser.add_argument("--sentences", type=int, default=800)
    parser.add_argument("--schedules", nargs="+", help="beams; default: the model's")
    options = parser.parse_args()
    model = load(options.model)
    assert isinstance(model, NeuralCcgParser)
    derivations = list(read_auto(options.dev))
    size = min(options.sentences, len(derivations))
    dev = CcgDev(random.Random(SEED).sample(derivations, size))
    for schedule in options.schedules or [model.settings.schedule]:
        parses = {}
        for name, changes in SYSTEMS.items():
            model.supertagger.network.encoder.forget()
            how = model.with_settings(schedule=schedule, **changes)
            parses[name] = dev.parse(how, gold_pos=False)
        print(f"\nbeams {schedule}\n")
        columns = ("decoder", "LF", "UF", "supertags", "sentences/s")
        print(markdown((*columns, "p, Viterbi", "p, min. risk"), rows(dev, parses)), flush=True)


if __name__ == "__main__":
    main()
