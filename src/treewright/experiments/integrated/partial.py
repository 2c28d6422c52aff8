"""Learning curves where only a part of the treebank has derivations.

The last wish of Auli and Lopez (2011a): the combined model learns from sentences whose derivations
are latent. A supertagger and a parser are trained on the part with derivations. Then both learn
together from that part and from the rest, of which only the dependencies are known, or the words
and a dictionary of the lexical entries that they may have: belief propagation sums over all
derivations that agree with it. The rest adds no lexical entries, rules or features.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from treewright.config import setting
from treewright.data.auto import write_auto
from treewright.data.records import Derivation
from treewright.experiments.experiment import Cell, Context, Experiment, Plot, Result, Table
from treewright.grammar.lexicon import Lexicon
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.dev import CcgDev, Parsed
from treewright.models.ccg.examples import GoldSentence, gold_sentence
from treewright.models.ccg.joint import (
    DictionaryTarget,
    JointModel,
    LatentTarget,
    dependency_target,
)
from treewright.models.ccg.parser import CcgParser, SearchSettings
from treewright.models.ccg.search import Beam
from treewright.models.ccg.settings import CcgSettings, CcgTrainingSettings
from treewright.models.ccg.training import read_treebank, train_ccg
from treewright.train.joint import JointExample, JointLikelihood
from treewright.train.minibatch import Shifted
from treewright.train.settings import OptimiserSettings

ALONE, TOGETHER = "derivations, apart", "derivations, together"
DEPENDENCIES, DICTIONARY = "and dependencies", "and words with a dictionary"
LATENT = "dependencies of all"


@dataclass(frozen=True)
class PartialSettings:
    """A treebank, the shares of it that have derivations, and how to learn from the rest."""

    model: CcgSettings = setting(
        CcgSettings(
            training=CcgTrainingSettings("0.01,0.1", max_items=20_000),
            objective=ObjectiveSettings("likelihood"),
            optimiser=OptimiserSettings(iterations=60, tolerance=1e-4),
            search=SearchSettings(tagger_weight=0.0),
        ),
        "supertagger and parser trained on the derivations",
    )
    dev: Path = setting(Path("dev.auto"), "dev derivations")
    dev_sentences: int = setting(0, "use only the first sentences; 0: all")
    sentences: int = setting(2000, "use only the first training sentences; 0: all")
    shares: tuple[float, ...] = setting(
        (0.05, 0.1, 0.25, 0.5), "fractions of sentences with derivations"
    )
    beta: float = setting(0.01, "supertagger beam in joint training")
    iterations: int = setting(5, "iterations of belief propagation in training and parsing")
    optimiser: OptimiserSettings = setting(
        OptimiserSettings("adagrad", prior=1.0, iterations=4, rate=0.05),
        "optimiser of joint training",
    )


@dataclass(frozen=True, eq=False)
class _Curve:
    """The treebank in random order, so that every share contains the smaller ones."""

    context: Context

    @property
    def settings(self) -> PartialSettings:
        settings: PartialSettings = self.context.settings
        return settings

    @cached_property
    def derivations(self) -> list[Derivation]:
        model = self.settings.model
        read = read_treebank(model.train, model.grammar, self.context.run("treebank"))
        some = read[: self.settings.sentences or None]
        order = np.random.default_rng(self.context.seed).permutation(len(some))
        return [some[i] for i in order]

    @cached_property
    def dev(self) -> CcgDev:
        return CcgDev(self.settings.dev, self.settings.dev_sentences)

    def parsed(self, parser: CcgParser) -> Parsed:
        how = {"algorithm": "bp", "iterations": self.settings.iterations, "tagger_weight": 1.0}
        return self.dev.parse(parser.with_settings(**how))

    def size(self, share: float) -> int:
        return max(1, round(share * len(self.derivations)))

    def alone(self, share: float, **training: object) -> CcgParser:
        """Supertagger and parser of the derivations alone, trained one after the other."""
        run = self.context.run("-".join([f"{share:g}", *map(str, training.values())]))
        path = run.directory / "part.auto"
        write_auto(path, self.derivations[: self.size(share)])
        model = self.settings.model
        how = replace(model.training, **training)  # type: ignore[arg-type]
        return train_ccg(replace(model, train=path, training=how), run)

    def together(self, share: float, start: CcgParser) -> Iterator[tuple[str, int, CcgParser]]:
        """Both learn together, with each kind of knowledge about the rest: its name and size."""
        size, model = self.size(share), JointModel(start)
        every = self._numbered(start, size)
        own, rest = every[:size], every[size:]
        beam = Beam(self.settings.beta, 20)
        derived = list(model.examples(own, beam))
        targets: dict[str, LatentTarget | None] = {
            TOGETHER: None,
            DEPENDENCIES: dependency_target,
            DICTIONARY: DictionaryTarget(_dictionary(every)),
        }
        for number, (name, target) in enumerate(targets.items()):
            latent = [] if target is None else list(model.latent_examples(rest, beam, target))
            stage = f"{share:g}-{number}"
            yield name, len(latent), self._fit(stage, model, [*derived, *latent])

    def _numbered(self, start: CcgParser, size: int) -> list[GoldSentence]:
        """All sentences in the numbers of a grammar, which does not learn from the rest."""
        lexicon = Lexicon().learn(self.derivations[:size])
        return [gold_sentence(start.grammar, lexicon, each) for each in self.derivations]

    def _fit(self, stage: str, model: JointModel, examples: Sequence[JointExample]) -> CcgParser:
        """The parser after training; the prior is around the weights at the start."""
        start, settings = model.weights, self.settings
        threads = max(self.context.threads, 1)
        objective = JointLikelihood(examples, len(start), threads, settings.iterations)
        run = self.context.run("together")
        weights = run.optimise(stage, Shifted(objective, start), settings.optimiser)
        return model.with_weights(start + weights)


def _dictionary(sentences: Sequence[GoldSentence]) -> Mapping[str, set[int]]:
    """The lexical entries that words have anywhere in the treebank."""
    tags: dict[str, set[int]] = defaultdict(set)
    for sentence in sentences:
        for word, entry in zip(sentence.words, sentence.gold.entries.tolist(), strict=True):
            tags[word].add(entry)
    return tags


def partial_supervision(context: Context) -> Iterator[Result]:
    """F by the share of sentences with derivations, and by what is known of the others."""
    curve = _Curve(context)
    rows: list[Sequence[Cell]] = []
    lines: dict[str, list[float]] = defaultdict(list)

    def add(share: float, name: str, latent: int, parsed: Parsed, base: Parsed | None) -> None:
        scores = curve.dev.scores(parsed)
        figures = [100 * scores.labelled_all.f, 100 * scores.unlabelled_all.f]
        p = None if base is None else curve.dev.p_value(parsed, base)
        sizes = (100 * share, curve.size(share) if name != LATENT else 0, latent)
        rows.append([*sizes, name, *figures, 100 * (scores.supertags or 0.0), p])
        lines[name].append(figures[0])

    for share in context.settings.shares:
        start = curve.alone(share)
        base = curve.parsed(start)
        add(share, ALONE, 0, base, None)
        for name, latent, parser in curve.together(share, start):
            add(share, name, latent, curve.parsed(parser), base)
    whole = curve.parsed(curve.alone(1.0))
    add(1.0, ALONE, 0, whole, None)
    summed = curve.parsed(curve.alone(1.0, target="dependencies"))
    add(1.0, LATENT, curve.size(1.0), summed, whole)
    sizes = ("share, %", "derivations", "others")
    columns = (*sizes, "learns from", "LF", "UF", "ST", "p, apart")
    yield Table("Derivations for a part of the treebank", columns, rows, NOTE, 2)
    yield Plot("partial", "Labelled F by the share of derivations", _drawing(context, lines))


NOTE = (
    "LF and UF over all sentences. Others: sentences whose chart has a derivation that agrees with "
    "what is known. p: against the first row of the share."
)


def _drawing(context: Context, lines: Mapping[str, Sequence[float]]) -> Any:
    shares = [100 * share for share in context.settings.shares]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot(xlabel="sentences with derivations, %", ylabel="labelled F")
        for name, heights in lines.items():
            if name != LATENT:
                at = [*shares, 100][: len(heights)]
                axes.plot(at, heights, "o-", label=name, ms=3)
        axes.set_xscale("log")
        axes.set_xticks([*shares, 100], [f"{share:g}" for share in (*shares, 100)])
        axes.minorticks_off()
        axes.legend()

    return draw


EXPERIMENTS = (
    Experiment(
        "integrated/partial",
        "Learning curves with latent derivations",
        PartialSettings,
        partial_supervision,
    ),
)
