"""All settings of a CCG parser: what `examples/ccg.toml` fills."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.forests.ccg.chart import ChartSettings
from treewright.inference.settings import InferenceSettings
from treewright.losses.settings import ObjectiveSettings
from treewright.models.ccg.examples import Target, Unreachable
from treewright.models.ccg.parser import SearchSettings
from treewright.models.ccg.search import Beam, schedule_named
from treewright.models.tagging.settings import (
    POS_FOLDS,
    PosTaggerSettings,
    SuperTaggerSettings,
)
from treewright.scores.ccg.templates import SETS
from treewright.train.folds import check_folds
from treewright.train.settings import OptimiserSettings


@dataclass(frozen=True)
class GrammarSettings:
    """What the grammar takes from the treebank."""

    entry_cutoff: int = setting(2, "a lexical entry must occur this often")
    rules: Path | None = setting(
        None,
        "a TOML file of rules, instead of those in the treebank",
    )
    max_order: int | None = setting(
        None,
        "largest number of arguments that a composition carries over; default: as in the treebank",
    )
    markedup: Path | None = setting(
        None, "C&C's markedup file: heads for derivations whose leaves have no indices"
    )
    skip_bad: bool = setting(
        False, "skip derivations that no rule explains, and list them in the run's records"
    )
    seen_pairs: bool = setting(True, "only pairs of categories seen in training combine")
    marked_conjuncts: bool = setting(
        True, "X X -> X only where the right X begins with a conjunction or punctuation"
    )


@dataclass(frozen=True)
class FeatureSettings:
    """The features of the parser."""

    set: Literal["normal-form", "dependency", "hybrid", "spans"] = setting(
        "hybrid", "a named set of templates"
    )
    templates: tuple[str, ...] = setting((), "further templates; see docs/features.md")
    cutoff: int = setting(1, "a feature must occur this often in gold derivations")

    @property
    def all_templates(self) -> list[str]:
        return [*SETS[self.set], *self.templates]


@dataclass(frozen=True)
class CcgTrainingSettings:
    """Which forests the parser is trained on."""

    schedule: str = setting(
        "training",
        "beams to try in turn, BETA[:CUTOFF], until the chart is small enough; training,\n"
        "cc-training: the wide and the usual ones of Auli and Lopez (2011)",
    )
    margin: float = setting(8.0, "chart.margin in training: wider forests train better")
    cell_margin: float = setting(float("inf"), "chart.cell_margin in training")
    max_items: int = setting(300_000, "chart.max_items in training")
    unreachable: Unreachable = setting(
        "add-tags", "what to do where the chart has no gold derivation"
    )
    target: Target = setting(
        "derivation",
        "derivation: the gold one; dependencies: all derivations with the gold dependencies\n"
        "together (Clark and Curran 2007, the dependency model)",
    )
    tagger_folds: int = setting(
        0, "0: train on the supertagger's own lattices; n: on those of n held-out taggers"
    )
    learns_tagger_weight: bool = setting(
        False, "learn the weight of the supertagger instead of setting search.tagger_weight"
    )
    sentences: int = setting(0, "number of training sentences, from the first; 0: all")

    def __post_init__(self) -> None:
        schedule_named(self.schedule)
        check_folds("tagger_folds", self.tagger_folds)
        if self.sentences < 0:
            raise ValueError(f"sentences must not be negative, not {self.sentences}")

    @property
    def beams(self) -> tuple[Beam, ...]:
        return schedule_named(self.schedule).beams


@dataclass(frozen=True)
class CcgSettings:
    """All settings of a CCG parser."""

    train: Path = setting(Path("train.auto"), "derivations with annotated leaves")
    dev: Path | None = setting(None, "derivations to score on while training and at the end")
    supertagger: Path | None = setting(
        None, "model directory of a trained supertagger; default: train one"
    )
    pos_folds: int = setting(0, f"{POS_FOLDS}; dev is then scored without gold ones, too")
    grammar: GrammarSettings = setting(GrammarSettings(), "rules and lexical entries")
    features: FeatureSettings = setting(FeatureSettings(), "features of the model")
    chart: ChartSettings = setting(
        ChartSettings(margin=5.0, cell_margin=5.0, max_items=20_000),
        "size and pruning of charts",
    )
    training: CcgTrainingSettings = setting(CcgTrainingSettings(), "forests to train on")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("softmax-margin", "dec-f1", tau=2.0), "objective to minimise"
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(iterations=100, tolerance=1e-4, score_every=10), "how to minimise it"
    )
    search: SearchSettings = setting(SearchSettings(), "size of the search")
    inference: InferenceSettings = setting(
        InferenceSettings("min-risk", penalty=0.3), "how to choose a parse"
    )
    tagger: SuperTaggerSettings = setting(
        SuperTaggerSettings(), "the supertagger's features and training"
    )
    pos: PosTaggerSettings = setting(
        PosTaggerSettings(), "the part-of-speech tagger's features and training"
    )

    def __post_init__(self) -> None:
        check_folds("pos_folds", self.pos_folds)
        for each in (self.optimiser, self.tagger.chain, self.pos.chain):
            each.check_dev(self.dev)
