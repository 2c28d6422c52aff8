"""Joint training (Auli and Lopez 2011a, section 5.4 and table 7).

Rows without a figure of the paper are its future work: dual decomposition, and losses with BP and
DD.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.experiments.ccg_figures import FIGURES, figures
from treewright.experiments.experiment import Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import (
    PIPELINE,
    SYSTEMS,
    IntegratedSettings,
    parser_in,
)
from treewright.grammar.defaults import check_entries
from treewright.grammar.lexicon import Lexicon
from treewright.losses import loss_named
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.joint import JointModel
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam
from treewright.scores.ccg.scorer import log_linear
from treewright.train.joint import JointExample, JointHinge, JointLikelihood, JointObjective
from treewright.train.joint_margin import JointSoftmaxMargin
from treewright.train.minibatch import Shifted
from treewright.train.settings import OptimiserSettings

PAPER = {
    "separate, pipeline": {"adaptive": (86.7, 92.7, 94.0), "reverse": (86.7, 92.7, 93.9)},
    "separate, BP": {"adaptive": (86.8, 92.8, 94.1), "reverse": (87.2, 93.1, 94.2)},
    "joint likelihood, BP": {"adaptive": (86.3, 92.5, 93.8), "reverse": (85.6, 92.1, 93.2)},
}


@dataclass(frozen=True)
class JointSettings(IntegratedSettings):
    """Initial model, training data, and number of iterations."""

    train: Path = setting(Path("train.auto"), "training derivations")
    train_sentences: int = setting(1500, "use only the first sentences")
    beta: float = setting(0.01, "supertagger beam in training")
    iterations: int = setting(10, "iterations of belief propagation in training and parsing")
    dec_tau: float = setting(1.0, "tau for DecF1, in softmax-margin and in the hinge for DD")
    f1_tau: float = setting(5.0, "tau for exact F1 in softmax-margin")
    optimiser: OptimiserSettings = setting(
        OptimiserSettings("adagrad", prior=1.0, iterations=4, rate=0.05), "optimiser for all rows"
    )


def table7(context: Context) -> Iterator[Result]:
    """Parsers trained from zero weights on the same sentences, separately or jointly."""
    settings = context.settings
    parser = parser_in(settings.model)
    scorer = log_linear(parser.scorer)
    blank = scorer.with_weights(np.zeros(len(scorer.keys)))
    untrained = CcgParser(
        parser.grammar,
        parser.supertagger,
        blank,
        parser.chart,
        parser.settings,
        parser.inference,
    )
    model = JointModel(untrained)
    examples = _examples(settings, model)
    size = len(model.weights)
    trained = {
        name: _fit(context, name.replace(" ", "-"), objective, model)
        for name, objective in _objectives(context, examples, size).items()
    }
    yield from _tables(settings, _systems(settings, trained), len(examples))


def _objectives(
    context: Context, examples: Sequence[JointExample], size: int
) -> dict[str, JointObjective]:
    """The objective of each row: the parser alone first, then with the supertagger."""
    settings: JointSettings = context.settings
    threads, k = max(context.threads, 1), settings.iterations
    alone = [replace(each, layers=each.layers[-1:]) for each in examples]
    dec, f1 = (loss_named("dec-f1"), settings.dec_tau), (loss_named("f1"), settings.f1_tau)
    return {
        "separate": JointLikelihood(alone, size, threads, 1),
        "separate DecF1": JointSoftmaxMargin(alone, size, *dec, threads, 1),
        "joint likelihood": JointLikelihood(examples, size, threads, k),
        "joint DecF1": JointSoftmaxMargin(examples, size, *dec, threads, k),
        "joint F1": JointSoftmaxMargin(examples, size, *f1, threads, k),
        "joint perceptron": JointHinge(examples, size, threads),
        "joint DecF1 hinge": JointHinge(examples, size, threads, 0.0, *dec),
    }


BY_DUAL = ("separate", "joint perceptron", "joint DecF1 hinge")


def _systems(settings: JointSettings, trained: Mapping[str, CcgParser]) -> dict[str, CcgParser]:
    """The parsers by training and inference."""
    by_bp = {"algorithm": "bp", "iterations": settings.iterations, "tagger_weight": 1.0}
    systems = {"separate, pipeline": trained["separate"].with_settings(**SYSTEMS[PIPELINE])}
    for name in (each for each in trained if each not in BY_DUAL[1:]):
        systems[f"{name}, BP"] = trained[name].with_settings(**by_bp)
    for name in BY_DUAL:
        systems[f"{name}, DD"] = trained[name].with_settings(**SYSTEMS["DD k=25"])
    return systems


def _examples(settings: JointSettings, model: JointModel) -> list[JointExample]:
    derivations = list(read_auto(settings.train, check_entries))
    lexicon = Lexicon().learn(derivations)
    some = derivations[: settings.train_sentences]
    sentences = [gold_sentence(model.parser.grammar, lexicon, each) for each in some]
    return list(model.examples(sentences, Beam(settings.beta, 20)))


def _fit(context: Context, name: str, objective: JointObjective, model: JointModel) -> CcgParser:
    """The trained parser; the prior is centred at the initial weights."""
    start: Floats = model.weights
    weights = context.run("joint").optimise(
        name, Shifted(objective, start), context.settings.optimiser
    )
    return model.with_weights(start + weights)


def _tables(
    settings: JointSettings, systems: dict[str, CcgParser], examples: int
) -> Iterator[Result]:
    dev = CcgDev(settings.dev, settings.sentences)
    for schedule in settings.schedules:
        parses = {n: dev.parse(p.with_settings(schedule=schedule)) for n, p in systems.items()}
        rows: list[Sequence[Cell]] = []
        for name, parsed in parses.items():
            besides = figures(dev.scores(parsed), PAPER.get(name, {}).get(schedule, ()))
            p = f"{dev.p_value(parsed, parses['separate, BP']):.4f}"
            rows.append((name, *besides, None if name == "separate, BP" else p))
        title = f"Joint training on {examples} sentences, {schedule} supertagging"
        yield Table(title, ("training, inference", *FIGURES, "p, separate BP"), rows)


EXPERIMENTS = (Experiment("integrated/table7", "Joint training", JointSettings, table7),)
