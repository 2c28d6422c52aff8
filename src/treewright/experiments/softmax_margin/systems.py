"""Parsers of the softmax-margin experiments: one set of forests, several objectives."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from treewright.config import setting
from treewright.experiments.experiment import Context
from treewright.forests import ForestStore
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.parser import CcgParser, SearchSettings
from treewright.models.ccg.settings import CcgSettings, CcgTrainingSettings
from treewright.models.ccg.training import Prepared, fit, prepare
from treewright.train.run import MODEL

LOSSES = {
    "DecP": "dec-precision",
    "DecR": "dec-recall",
    "DecF1": "dec-f1",
    "P": "precision",
    "R": "recall",
    "F1": "f1",
    "R, sized": "sized-recall",
    "F1, sized": "sized-f1",
}
# The papers' parser does not use the scores of the supertagger.
WIDE = CcgSettings(search=SearchSettings(tagger_weight=0.0))
NARROW = replace(WIDE, training=CcgTrainingSettings("0.01,0.1", max_items=20_000))


@dataclass(frozen=True)
class LossWeights:
    """tau for each kind of loss: losses per dependency and per sentence have different scales."""

    decomposable: float = setting(2.0, "tau for DecP, DecR and DecF1, which count dependencies")
    exact: float = setting(10.0, "tau for sentence-level P, R and F1")
    sized_recall: float = setting(2.0, "tau for R times |y|")
    sized_f1: float = setting(0.5, "tau for F1 times |y|")

    def of(self, name: str) -> float:
        """The weight of one of LOSSES."""
        own = {"R, sized": self.sized_recall, "F1, sized": self.sized_f1}
        return own.get(name, self.decomposable if name.startswith("Dec") else self.exact)


@dataclass(frozen=True)
class LossSettings:
    """Data and number of iterations."""

    model: CcgSettings = setting(NARROW, "parser settings, without the objective")
    dev: Path = setting(Path("dev.auto"), "dev derivations")
    dev_sentences: int = setting(0, "use only the first sentences; 0: all")
    weights: LossWeights = setting(LossWeights(), "weights of the losses (tau)")

    def objective(self, name: str, tau: float | None = None) -> ObjectiveSettings:
        """CLL, or softmax-margin with one of LOSSES."""
        if name == "CLL":
            return ObjectiveSettings("likelihood")
        weight = self.weights.of(name) if tau is None else tau
        return ObjectiveSettings("softmax-margin", LOSSES[name], weight)


class LossBench:
    """Forests in a run directory, parsers trained on them, and a development set."""

    def __init__(self, context: Context, name: str = "forests", **training: object) -> None:
        self.context, self.settings = context, context.settings
        self.run = context.run(name)
        changed = replace(self._model.training, **training)  # type: ignore[arg-type]
        self.model = replace(self._model, training=changed)

    @cached_property
    def _model(self) -> CcgSettings:
        """The settings, with a supertagger that all benches of the experiment share."""
        model: CcgSettings = self.settings.model
        if model.supertagger:
            return model
        self.context.train("super", {"kind": "super", "train": str(model.train)})
        return replace(model, supertagger=self.context.run("super").directory / MODEL)

    @cached_property
    def prepared(self) -> Prepared:
        return prepare(self.model, self.run)

    @cached_property
    def dev(self) -> CcgDev:
        return CcgDev(self.settings.dev, self.settings.dev_sentences)

    def forests(self) -> ForestStore:
        return ForestStore(self.prepared.store)

    def parser(self, name: str, objective: ObjectiveSettings, seed: int | None = None) -> CcgParser:
        """Trains a parser once; its weights are stored in the run directory."""
        how = replace(self.model, objective=objective)
        run = self.run if seed is None else self.run.with_seed(seed)
        return fit(self.prepared, how, run, name)
