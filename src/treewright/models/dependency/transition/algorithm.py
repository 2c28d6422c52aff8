"""Arc-eager and arc-hybrid parsers as algorithms of dependency models."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Integers
from treewright.config import setting
from treewright.errors import ConfigError
from treewright.inference.transition import LabelTable, System, TransitionParser, TransitionShape
from treewright.models.dependency.algorithms import Algorithm, TrainingData, TreeParser
from treewright.models.dependency.online_training import BestPass, train_online
from treewright.scores.dependency.encoder import FIRST, Encoder
from treewright.scores.dependency.state_sets import SETS
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings
from treewright.train.transition import Corpus, TransitionLearner

CHUNK = 200  # sentences between two steps of the progress bar
MOST_BEAM = 1000
TABLE = ("table_first", "table_labels")


@dataclass(frozen=True)
class TransitionSettings:
    """Features, search and training of a transition parser."""

    features: str = setting("rich", "a named set of templates: paper, zhang-nivre or rich")
    templates: list[str] = setting([], "further templates: lines like 's0.form b0.xpos'")
    beam: int = setting(8, "states kept at each step, in training and by default in parsing")
    passes: int = setting(6, "over the training sentences; the best on dev is kept")
    patience: int = setting(3, "stop after so many passes without a better dev score; 0 is never")
    update: Literal["max-violation", "early"] = setting("max-violation", "where to correct")
    aggressiveness: float = setting(0.0, "0: steps of 1; else passive-aggressive steps up to this")
    reduce_early: bool = setting(False, "arc-eager: gold sequences reduce as soon as they can")
    oracle: Literal["static", "dynamic"] = setting(
        "static", "dynamic: greedy learning that explores its own mistakes; arc-hybrid, beam 1"
    )
    exploration: float = setting(0.9, "dynamic: the share of mistakes that are gone on with")
    pseudo_projective: bool = setting(
        False, "mark words whose arcs are lifted, and move them back after parsing"
    )
    threshold: float = setting(1.5, "averaged weights of at most this are left out")

    def __post_init__(self) -> None:
        if self.features not in SETS:
            raise ValueError(f"features must be one of {', '.join(SETS)}, not {self.features!r}")
        for name in ("beam", "passes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.beam > MOST_BEAM:
            raise ValueError(f"beam must be at most {MOST_BEAM}, not {self.beam}")
        if self.oracle == "dynamic" and self.beam != 1:
            raise ValueError("oracle = dynamic learns without a beam: set beam to 1")
        steps = self.update, self.aggressiveness
        if self.oracle == "dynamic" and steps != ("max-violation", 0.0):
            raise ValueError("oracle = dynamic has steps of its own: no update or aggressiveness")
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must be from 0 to 1, not {self.exploration}")
        for name in ("patience", "aggressiveness", "threshold"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")


class _Settings(Protocol):
    @property
    def algorithm(self) -> str: ...
    @property
    def transition(self) -> TransitionSettings: ...
    @property
    def augment(self) -> list[AugmentSettings]: ...


def transition_shape(settings: _Settings, encoder: Encoder, table: LabelTable) -> TransitionShape:
    """Actions, templates and labels of a parser with these settings."""
    templates = (*SETS[settings.transition.features], *settings.transition.templates)
    system: System = "arc-eager" if settings.algorithm == "arc-eager" else "arc-hybrid"
    upos = encoder.values["upos"]
    return TransitionShape(system, encoder.relations, upos, templates, table)


def new_learner(settings: _Settings, data: TrainingData) -> TransitionLearner:
    """A learner without weights, its labels read from the training trees."""
    if several := sum(int((each.heads == 0).sum()) > 1 for each in data.gold):
        raise ConfigError(
            f"{several} trees have several roots: only mst and eisner with single_root = false"
            " learn from such"
        )
    trees = ((s, g.heads, g.labels) for s, g in zip(data.sentences, data.gold, strict=True))
    tags = len(data.encoder.values["upos"]) + FIRST
    table = LabelTable.learn(trees, tags, len(data.encoder.relations))
    shape = transition_shape(settings, data.encoder, table)
    how = settings.transition
    exploration = how.exploration if how.oracle == "dynamic" else None
    return TransitionLearner(
        shape, how.beam, how.update, how.aggressiveness, how.reduce_early, exploration
    )


def _train(settings: _Settings, data: TrainingData, run: Run) -> TreeParser:
    """The averaged weights after the pass that does best on dev, or after the last one."""
    how, learner = settings.transition, new_learner(settings, data)
    averaged = partial(learner.averaged, how.threshold)
    make = partial(TransitionParser, learner.shape, beam=how.beam)
    best = BestPass(data, run, how, learner, averaged, make)
    if settings.augment:
        return train_online(best, learner, settings.augment)
    corpus = learner.corpus(data.sentences, data.gold)
    rng, done = np.random.default_rng(run.seed), best.resume()
    for number in range(1, how.passes + 1):
        order = rng.permutation(len(corpus))
        if number <= done:
            continue
        wrong = _pass(learner, corpus, order, run, f"pass {number}")
        if best.after(number, wrong=wrong / len(corpus)):
            break
    parser = best.result()
    run.record(best_pass=best.number, features=len(_arrays(parser)["keys"]), **best.scores)
    return parser


def _pass(learner: TransitionLearner, corpus: Corpus, order: Integers, run: Run, name: str) -> int:
    """One pass over the corpus; how many sentences were wrong."""
    wrong = 0
    with run.progress(name, len(order)) as bar:
        for begin in range(0, len(order), CHUNK):
            chunk = order[begin : begin + CHUNK].astype(np.int64)
            wrong += learner.learn_all(corpus, chunk)
            bar.advance(len(chunk), wrong=wrong / (begin + len(chunk)))
    return wrong


def _arrays(parser: TransitionParser) -> dict[str, NDArray[Any]]:
    table = parser.shape.table
    return dict(parser.arrays) | {"table_first": table.first, "table_labels": table.labels}


def _load(
    settings: _Settings, encoder: Encoder, arrays: Mapping[str, NDArray[Any]]
) -> TransitionParser:
    table = LabelTable(len(encoder.values["upos"]) + FIRST, *(arrays[name] for name in TABLE))
    shape = transition_shape(settings, encoder, table)
    return TransitionParser(shape, arrays, settings.transition.beam)


ALGORITHM = Algorithm(_train, _arrays, _load)
