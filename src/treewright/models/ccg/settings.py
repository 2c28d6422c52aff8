"""The settings of a CCG parser, as in `examples/ccg.toml`."""

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
    """Rules and lexical entries, extracted from the treebank."""

    entry_cutoff: int = setting(2, "minimum frequency of a lexical entry")
    rules: Path | None = setting(
        None,
        "TOML file with rules; default: extract them from the treebank",
    )
    max_order: int | None = setting(
        None,
        "maximum order of composition; default: as in the treebank",
    )
    markedup: Path | None = setting(None, "C&C markedup file, for derivations without head indices")
    skip_bad: bool = setting(
        False, "skip derivations that cannot be read or have a step that matches no rule; log them"
    )
    seen_pairs: bool = setting(True, "combine only pairs of categories seen in training")
    marked_conjuncts: bool = setting(
        True, "allow X X -> X only if the right X starts with a conjunction or punctuation"
    )


@dataclass(frozen=True)
class FeatureSettings:
    """The features of the parser."""

    set: Literal["normal-form", "dependency", "hybrid", "spans"] = setting("hybrid", "feature set")
    templates: tuple[str, ...] = setting((), "additional feature templates; see docs/features.md")
    cutoff: int = setting(1, "minimum frequency of a feature in gold derivations")

    @property
    def all_templates(self) -> list[str]:
        return [*SETS[self.set], *self.templates]


@dataclass(frozen=True)
class CcgTrainingSettings:
    """The forests that the parser is trained on."""

    schedule: str = setting(
        "training",
        "supertagger beams, BETA[:CUTOFF],..., tried in turn until the chart is small enough;\n"
        "training, cc-training: the wide and the standard beams of Auli and Lopez (2011)",
    )
    margin: float = setting(8.0, "chart.margin for training; wider than for parsing")
    cell_margin: float = setting(float("inf"), "chart.cell_margin for training")
    max_items: int = setting(300_000, "chart.max_items for training")
    unreachable: Unreachable = setting(
        "add-tags", "what to do if the chart lacks the gold derivation"
    )
    target: Target = setting(
        "derivation",
        "derivation: the gold derivation; dependencies: all derivations with the gold\n"
        "dependencies (the dependency model of Clark and Curran 2007)",
    )
    tagger_folds: int = setting(0, "number of folds for supertagger jackknifing; 0: no jackknifing")
    learns_tagger_weight: bool = setting(
        False, "learn the weight of the supertagger instead of using search.tagger_weight"
    )
    sentences: int = setting(0, "use only the first training sentences; 0: all")
    max_words: int = setting(0, "skip longer training sentences; 0: no limit")

    def __post_init__(self) -> None:
        schedule_named(self.schedule)
        check_folds("tagger_folds", self.tagger_folds)
        for name in ("sentences", "max_words"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")

    @property
    def beams(self) -> tuple[Beam, ...]:
        return schedule_named(self.schedule).beams


@dataclass(frozen=True)
class CcgSettings:
    """All settings of a CCG parser."""

    train: Path = setting(Path("train.auto"), "training derivations (AUTO)")
    dev: Path | None = setting(None, "dev derivations (AUTO), scored during and after training")
    supertagger: Path | None = setting(None, "model directory of a supertagger; default: train one")
    pos_folds: int = setting(0, f"{POS_FOLDS};\nif not 0, dev is also scored with predicted tags")
    grammar: GrammarSettings = setting(GrammarSettings(), "rules and lexical entries")
    features: FeatureSettings = setting(FeatureSettings(), "features")
    chart: ChartSettings = setting(
        ChartSettings(margin=5.0, cell_margin=5.0, max_items=20_000),
        "chart size and pruning",
    )
    training: CcgTrainingSettings = setting(CcgTrainingSettings(), "training forests")
    objective: ObjectiveSettings = setting(
        ObjectiveSettings("softmax-margin", "dec-f1", tau=2.0), "training objective"
    )
    optimiser: OptimiserSettings = setting(
        OptimiserSettings(iterations=100, tolerance=1e-4, score_every=10), "optimiser"
    )
    search: SearchSettings = setting(SearchSettings(), "search")
    inference: InferenceSettings = setting(InferenceSettings("min-risk", penalty=0.3), "decoding")
    tagger: SuperTaggerSettings = setting(SuperTaggerSettings(), "supertagger")
    pos: PosTaggerSettings = setting(PosTaggerSettings(), "POS tagger")

    def __post_init__(self) -> None:
        check_folds("pos_folds", self.pos_folds)
        for each in (self.optimiser, self.tagger.chain, self.pos.chain):
            each.check_dev(self.dev)
