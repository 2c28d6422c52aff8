"""Joint training (Auli and Lopez 2011a, section 5.4 and table 7; the DD row is its future work)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Result, Table
from treewright.experiments.integrated.systems import (
    PIPELINE,
    SYSTEMS,
    IntegratedSettings,
    parser_in,
)
from treewright.grammar.defaults import check_entries
from treewright.grammar.lexicon import Lexicon
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.joint import JointModel
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam
from treewright.scores.ccg.scorer import log_linear
from treewright.train.joint import JointExample, JointHinge, JointLikelihood, JointObjective
from treewright.train.settings import OptimiserSettings
from treewright.train.shifted import Shifted

PAPER = {
    "separate, pipeline": {"adaptive": (86.7, 92.7, 94.0), "reverse": (86.7, 92.7, 93.9)},
    "separate, BP": {"adaptive": (86.8, 92.8, 94.1), "reverse": (87.2, 93.1, 94.2)},
    "joint likelihood, BP": {"adaptive": (86.3, 92.5, 93.8), "reverse": (85.6, 92.1, 93.2)},
}


@dataclass(frozen=True)
class JointSettings(IntegratedSettings):
    """Where to start, what to train on, and how long."""

    train: str = setting("train.auto", "derivations to train on")
    train_sentences: int = setting(1500, "number of sentences, from the first")
    beta: float = setting(0.01, "the supertagger's beam in training")
    iterations: int = setting(10, "of belief propagation, in training and in the tables")
    optimiser: OptimiserSettings = setting(
        OptimiserSettings("adagrad", prior=1.0, iterations=4, rate=0.05), "of all rows"
    )


def table7(context: Context) -> Iterator[Result]:
    """Parsers trained from zero on the same sentences, apart from the supertagger or with it."""
    settings = context.settings
    parser = parser_in(settings.model)
    scorer = log_linear(parser.scorer)
    blank = scorer.with_weights(np.zeros(len(scorer.keys)))
    how = (parser.chart, parser.settings, parser.inference)
    model = JointModel(CcgParser(parser.grammar, parser.supertagger, blank, *how))
    examples = _examples(settings, model)
    size = len(model.weights)
    alone = [replace(each, layers=each.layers[-1:]) for each in examples]
    threads, k = max(context.threads, 1), settings.iterations
    separate = _fit(context, "separate", JointLikelihood(alone, size, threads, 1), model)
    both = _fit(context, "likelihood", JointLikelihood(examples, size, threads, k), model)
    hinge = _fit(context, "perceptron", JointHinge(examples, size, threads), model)
    rest: dict[str, object] = {"iterations": k, "tagger_weight": 1.0}
    systems = {
        "separate, pipeline": separate.with_settings(**SYSTEMS[PIPELINE]),
        "separate, BP": separate.with_settings(algorithm="bp", **rest),
        "joint likelihood, BP": both.with_settings(algorithm="bp", **rest),
        "separate, DD": separate.with_settings(algorithm="dd", **rest | {"iterations": 25}),
        "joint perceptron, DD": hinge.with_settings(algorithm="dd", **rest | {"iterations": 25}),
    }
    yield from _tables(settings, systems, len(examples))


def _examples(settings: JointSettings, model: JointModel) -> list[JointExample]:
    derivations = list(read_auto(settings.train, check_entries))
    lexicon = Lexicon().learn(derivations)
    some = derivations[: settings.train_sentences]
    sentences = [gold_sentence(model.parser.grammar, lexicon, each) for each in some]
    return list(model.examples(sentences, Beam(settings.beta, 20)))


def _fit(context: Context, name: str, objective: JointObjective, model: JointModel) -> CcgParser:
    """The parser after training; the prior is around the weights at the start."""
    start: Floats = model.weights
    found = context.run("joint").optimise(
        name, Shifted(objective, start), context.settings.optimiser
    )
    return model.with_weights(start + found)


def _tables(
    settings: JointSettings, systems: dict[str, CcgParser], examples: int
) -> Iterator[Result]:
    dev = CcgDev(settings.dev, settings.sentences)
    for schedule in settings.schedules:
        parses = {n: dev.parse(p.with_settings(schedule=schedule)) for n, p in systems.items()}
        rows: list[Sequence[Cell]] = []
        for name, parsed in parses.items():
            scores = dev.scores(parsed)
            ours = (scores.labelled.f, scores.unlabelled.f, scores.supertags or 0.0)
            paper = PAPER.get(name, {}).get(schedule, (None,) * 3)
            besides = [Beside(100 * o, t) for o, t in zip(ours, paper, strict=True)]
            p = f"{dev.p_value(parsed, parses['separate, BP']):.4f}"
            rows.append((name, *besides, None if name == "separate, BP" else p))
        title = f"Joint training on {examples} sentences, {schedule} supertagging"
        yield Table(title, ("training, inference", "LF", "UF", "ST", "p, separate BP"), rows)


EXPERIMENTS = (Experiment("integrated/table7", "Joint training", JointSettings, table7),)
