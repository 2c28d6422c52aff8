"""The size of training forests without pruning, and the extrapolated cost of a whole treebank.

The papers prune by the supertagger's beams alone, with at most 0.3 million items per chart.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.config import setting
from treewright.errors import ConfigError
from treewright.experiments.experiment import Context, Experiment, Result, Table
from treewright.experiments.softmax_margin.systems import WIDE
from treewright.forests.features import Example
from treewright.forests.store.record import encode
from treewright.grammar.lexicon import Lexicon
from treewright.losses.batch import BatchObjective
from treewright.losses.objective import Likelihood
from treewright.models.ccg.examples import GoldSentence, gold_sentence
from treewright.models.ccg.forests import ForestMaker, frequent
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import read_treebank, treebank_grammar
from treewright.models.kinds import load
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import CcgScorer

PASSES = 100  # of L-BFGS over all sentences


@dataclass(frozen=True)
class GrowthSettings:
    """Margins to compare, and the number of sentences."""

    model: CcgSettings = setting(WIDE, "parser settings; needs a supertagger")
    margins: tuple[float, ...] = setting((8.0, 12.0, float("inf")), "pruning margins; inf: none")
    sentences: int = setting(40, "number of training sentences, sampled at even intervals")


def growth(context: Context) -> Iterator[Result]:
    """Sizes and times of sampled forests by margin, and extrapolated to all sentences."""
    settings: GrowthSettings = context.settings
    maker, sentences, total = _sampled(settings)
    rows = [_row(maker, sentences, margin, total) for margin in settings.margins]
    sizes = ("forests", "items", "edges", "MB", "s to build", "s per pass")
    whole = ("all: G edges", "GB", "h to build", f"h for {PASSES} passes")
    note = (
        f"{len(sentences)} of {total} sentences. Items, edges, MB and CPU seconds are means per "
        "forest; the last columns are these times the number of sentences. A pass is one of "
        "likelihood."
    )
    yield Table("Training forests by margin", ("margin", *sizes, *whole), rows, note, digits=3)


def _sampled(settings: GrowthSettings) -> tuple[ForestMaker, list[GoldSentence], int]:
    """A forest maker with the whole treebank's grammar, the sample, and the treebank's size."""
    model = settings.model
    tagger = load(model.supertagger) if model.supertagger else None
    if not isinstance(tagger, Supertagger):
        raise ConfigError("model.supertagger: this experiment needs a model of kind 'super'")
    derivations = read_treebank(model.train, model.grammar)
    lexicon = Lexicon().learn(derivations)
    grammar = treebank_grammar(derivations, lexicon, model.grammar)
    every = max(len(derivations) // settings.sentences, 1)
    some = derivations[::every][: settings.sentences]
    sentences = [gold_sentence(grammar, lexicon, each) for each in some]
    templates = model.features.all_templates
    maker = ForestMaker(model, grammar, [tagger.tagger], CcgScorer(templates))
    keys = frequent([maker.gold_keys(sentences)], 1)
    return replace(maker, scorer=CcgScorer(templates, keys)), sentences, len(derivations)


def _row(
    maker: ForestMaker, sentences: Sequence[GoldSentence], margin: float, total: int
) -> list[float]:
    training = replace(maker.settings.training, margin=margin)
    own = replace(maker, settings=replace(maker.settings, training=training))
    began = time.process_time()
    examples = [example for _, example in own(sentences) if example is not None]
    build = (time.process_time() - began) / len(sentences)
    if not examples:
        raise ConfigError("no sampled sentence has a forest with its gold derivation")
    means = [
        sum(each.forest.nodes for each in examples) / len(examples),
        sum(each.forest.edges for each in examples) / len(examples),
        sum(_size(each) for each in examples) / len(examples) / 1e6,
    ]
    one = _pass_seconds(examples, len(maker.scorer.keys)) / len(examples)
    hours = [total * seconds / 3600 for seconds in (build, PASSES * one)]
    whole = [total * means[1] / 1e9, total * means[2] / 1e3, *hours]
    return [margin, len(examples), *means, build, one, *whole]


def _size(example: Example) -> int:
    return sum(map(len, encode(example)))


def _pass_seconds(examples: Sequence[Example], features: int) -> float:
    objective = BatchObjective(Likelihood(), examples, features, threads=1)
    weights = np.zeros(features)
    objective.value_and_gradient(weights)
    began = time.process_time()
    objective.value_and_gradient(weights)
    return time.process_time() - began


EXPERIMENTS = (
    Experiment("softmax-margin/growth", "Training forests by margin", GrowthSettings, growth),
)
