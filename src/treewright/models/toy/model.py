"""The toy parser as a kind of model: the smallest complete example of one (kind "toy").

It trains on sentences that it samples itself and parses lines of its few words.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.lines import read_lines
from treewright.errors import ForestError
from treewright.forests.example import Example
from treewright.inference import exact
from treewright.losses.settings import ObjectiveSettings
from treewright.metrics.counts import Counts
from treewright.models.kinds import NO_FRAMES, Kind, ParseOptions
from treewright.models.toy.treebank import HASH_SPACE, LEXICON, Sentence, ToyParser, Tree, sample
from treewright.storage.bundle import Bundle
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings
from treewright.train.shards import Shard, cut

NAME = "toy"
WORDS = set().union(*LEXICON.values())


@dataclass(frozen=True)
class ToySettings:
    """All settings of a toy parser."""

    sentences: int = setting(200, "how many to train on")
    dev_sentences: int = setting(50, "how many to score on while training")
    objective: ObjectiveSettings = setting(ObjectiveSettings(), "what to minimise")
    optimiser: OptimiserSettings = setting(OptimiserSettings(), "and how")


class ToyModel:
    """Weights for the toy parser's features."""

    formats = ("brackets", "spans")
    frames = NO_FRAMES

    def __init__(self, config: dict[str, object], weights: Floats) -> None:
        self.config, self.weights, self.parser = config, weights, ToyParser()

    def bundle(self) -> Bundle:
        return Bundle(NAME, self.config, {"weights": self.weights}, {"words": _lines(WORDS)})

    def read(self, source: Path, options: ParseOptions) -> Iterator[list[str]]:
        """The words of every line."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule")
        return (line.split() for _, line in read_lines(source))

    def blocks(
        self,
        sentences: Iterable[list[str]],
        form: str,
        options: ParseOptions,  # noqa: ARG002 - all are rejected
    ) -> Iterator[str]:
        """One tree or list of spans a line; `()` for a line without analysis."""
        for words in sentences:
            tree = self.parse(words)
            if tree is None:
                yield "()\n"
            elif form == "brackets":
                yield f"{tree.bracketed(words)}\n"
            else:
                spans = (f"{each.label}:{each.begin}-{each.end}" for each in _walk(tree))
                yield " ".join(spans) + "\n"

    def parse(self, words: list[str]) -> Tree | None:
        """The best tree, or None where there is none."""
        if not words or not WORDS.issuperset(words):
            return None
        try:
            built = self.parser.chart(words)
        except ForestError:
            return None
        scores = self.parser.features_of(built, words).scores(self.weights)
        return self.parser.tree(built, exact.viterbi(built.forest, scores).edges)

    def score(self, sentences: list[Sentence]) -> float:
        """F1 of the brackets."""
        found = (Sentence(s.words, self.parse(list(s.words)) or s.tree).brackets for s in sentences)
        return Counts.of_sets(found, [sentence.brackets for sentence in sentences]).score().f


def _train(settings: ToySettings, run: Run) -> ToyModel:
    config: dict[str, object] = asdict(settings)
    dev = sample(settings.dev_sentences, run.seed + 1)
    ends = cut(range(settings.sentences), run.shards)
    shards = [Shard(_examples, (settings.sentences, run.seed, *each)) for each in ends]
    objective = run.objective(settings.objective, shards, HASH_SPACE)
    weights = run.optimise(
        "weights",
        objective,
        settings.optimiser,
        lambda weights: ToyModel(config, weights).score(dev),
    )
    return ToyModel(config, weights)


def _examples(sentences: int, seed: int, begin: int, end: int) -> Iterator[Example]:
    parser = ToyParser()
    return (parser.example(sentence) for sentence in sample(sentences, seed)[begin:end])


def _load(bundle: Bundle) -> ToyModel:
    return ToyModel(bundle.config, bundle.arrays["weights"])


def _lines(words: set[str]) -> str:
    return "".join(f"{word}\n" for word in sorted(words))


def _walk(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in tree.children:
        yield from _walk(child)


KIND = Kind(NAME, ToySettings, _train, _load, ray=True)
