"""The demonstration: a sampled treebank, CCG parsers for likelihood and for F1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.data.auto import read_auto
from treewright.metrics.ccgdeps import Analysis, CcgScores, labelled_counts, score
from treewright.metrics.counts import Counts
from treewright.metrics.significance import Comparison, approximate_randomisation
from treewright.minibank.write import write_minibank
from treewright.models.ccg.analysis import CcgAnalysis
from treewright.models.ccg.dev import gold_analysis
from treewright.models.ccg.parser import CcgParser
from treewright.models.dependency.parser import DependencyParser
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.run import Run

OBJECTIVES: dict[str, dict[str, object]] = {
    "likelihood": {"name": "likelihood"},
    "softmax-margin, F1": {"name": "softmax-margin", "loss": "f1", "tau": 5.0},
    "risk, F1": {"name": "risk", "loss": "f1"},
}
PARAGRAPH = (
    "Dr. Smith's cat didn't come home last night. She isn't worried, though: it usually turns up"
    " before breakfast."
)
SENTENCE = "the friend of the teacher who will want to leave slept ."


def drawn(model: str, text: str) -> list[str]:
    """Drawings of the sentences in a text."""
    parser = load(model)
    if not isinstance(parser, DependencyParser):
        return [str(parser.parse(text))]
    return [analysis.format("drawing") for analysis in parser.parse_text(text)]


@dataclass(frozen=True, eq=False)
class Trained:
    """A parser, its scores on held-out sentences, and p-values against the first parser."""

    name: str
    parser: CcgParser
    scores: CcgScores
    against_first: Comparison | None


class Demo:
    """A hard treebank in a directory, and parsers trained on it.

    Features include the heads of two phrases, but not their lengths.
    """

    def __init__(self, directory: Path, sentences: int, seed: int) -> None:
        self.directory = directory
        write_minibank(directory / "minibank", sentences, seed, hard=True)
        self.dev = list(read_auto(directory / "minibank" / "dev.auto"))
        self.supertagger = ""

    def run(self) -> Iterator[Trained]:
        """Trains with one objective after the other, with a shared supertagger."""
        first: Counts | None = None
        for name, objective in OBJECTIVES.items():
            parser = self._train(name, objective)
            gold, parsed = self._parse(parser)
            counts = _counts(gold, parsed)
            against = None if first is None else approximate_randomisation(counts, first)
            first = first or counts
            yield Trained(name, parser, score(parsed, gold), against)

    def _train(self, name: str, objective: dict[str, object]) -> CcgParser:
        place = self.directory / name.split(",", maxsplit=1)[0]
        config: dict[str, object] = {
            "kind": "ccg",
            "train": str(self.directory / "minibank" / "train.auto"),
            "supertagger": self.supertagger,
            "features": {"set": "normal-form"},
            "objective": objective,
            "optimiser": {"iterations": 40},
        }
        model = CcgParser.load(train(plan_of(config, name), Run(place)))
        self.supertagger = self.supertagger or str(place / "stages" / "supertagger")
        return model

    def _parse(self, model: CcgParser) -> tuple[dict[str, Analysis], dict[str, Analysis]]:
        gold = {derivation.id: gold_analysis(derivation) for derivation in self.dev}
        parsed = model.parse_many(derivation.sentence for derivation in self.dev)
        return gold, {each.sentence.id: _found(each) for each in parsed if not each.is_fragments}


def _found(analysis: CcgAnalysis) -> Analysis:
    return Analysis(frozenset(analysis.dependencies), analysis.supertags)


def _counts(gold: dict[str, Analysis], parsed: dict[str, Analysis]) -> Counts:
    missing = Analysis(frozenset())
    rows: Sequence[Analysis] = [parsed.get(name, missing) for name in gold]
    return labelled_counts(rows, gold.values())
