"""Dependency parsers as a kind of model (kind "dep"): load, parse sentences and files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path

from treewright.config import from_dict
from treewright.data import pseudo
from treewright.data.dependency import DependencyTree
from treewright.errors import ConfigError, TreewrightError
from treewright.inference.transition import Tree
from treewright.models.dependency.algorithms import TreeParser, algorithm_named
from treewright.models.dependency.analysis import DependencyAnalysis, parsed_tree, plain_word
from treewright.models.dependency.files import format_analysis, read_input
from treewright.models.dependency.settings import MAX_BEAM, DependencySettings
from treewright.models.dependency.tags import DependencyTagger, with_tags
from treewright.models.kinds import NO_FRAMES, ParseOptions, TextInput
from treewright.models.tagging.files import batches
from treewright.scores.dependency.encoder import ATTRIBUTES, TreeEncoder
from treewright.storage.bundle import Bundle, read_bundle
from treewright.text.bundle import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.tokeniser import Tokeniser
from treewright.text.trees import tree_of

NAME = "dep"
TAGS, RELATIONS, TOKENS = "tags", "relations", "tok"


class DependencyParser:
    """A trained parser: `parser.parse("She reads.")`, `parser.parse(["She", "reads", "."])`."""

    formats = ("conllu", "drawing", "json")
    frames = NO_FRAMES

    def __init__(
        self,
        settings: DependencySettings,
        encoder: TreeEncoder,
        trees: TreeParser,
        tagger: DependencyTagger | None,
        tokeniser: Tokeniser | None = None,
    ) -> None:
        self.settings, self.encoder, self.trees, self.tagger = settings, encoder, trees, tagger
        self.tokeniser = tokeniser

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> "DependencyParser":
        return cls.from_bundle(read_bundle(directory))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "DependencyParser":
        settings = from_dict(DependencySettings, bundle.config, "config.toml")
        values = {name: bundle.texts[name].split("\n")[:-1] for name in ATTRIBUTES}
        encoder = TreeEncoder(values, bundle.texts[RELATIONS].split("\n")[:-1])
        trees = algorithm_named(settings.algorithm).load(settings, encoder, bundle.arrays)
        part = bundle.parts.get(TAGS)
        tagger = DependencyTagger.from_bundle(part) if part else None
        part = bundle.parts.get(TOKENS)
        return cls(settings, encoder, trees, tagger, tokeniser_from_bundle(part) if part else None)

    def bundle(self) -> Bundle:
        config = asdict(self.settings)
        files = {name: str(config.pop(name)) for name in ("train", "dev")}
        config |= {name: file for name, file in files.items() if file != "None"}
        config["augment"] = [
            vars(each) | {"data": str(each.data)} for each in self.settings.augment
        ]
        arrays = algorithm_named(self.settings.algorithm).arrays(self.trees)
        texts = {name: _lines(values) for name, values in self.encoder.values.items()}
        parts = {TAGS: self.tagger.bundle()} if self.tagger else {}
        if self.tokeniser:
            parts[TOKENS] = tokeniser_bundle(self.tokeniser)
        return Bundle(
            NAME, config, arrays, texts | {RELATIONS: _lines(self.encoder.relations)}, parts
        )

    def parse(
        self, sentence: str | Sequence[str] | DependencyTree, k: int = 1
    ) -> DependencyAnalysis:
        """The best tree of a sentence: text, tokens, or tagged words.

        Text is cut into tokens by the model's tokeniser, or at spaces where it has none.
        """
        return self.parse_batch([sentence], k)[0]

    def parse_batch(
        self,
        sentences: Sequence[str | Sequence[str] | DependencyTree],
        k: int = 1,
        threads: int = 1,
        beam: int | None = None,
    ) -> list[DependencyAnalysis]:
        """The best trees of many sentences, each with its k best."""
        given = [self._as_tree(sentence) for sentence in sentences]
        trees = with_tags(given, self.tagger, self.settings.tags == "automatic")
        encoded = [self.encoder.encode(tree.words) for tree in trees]
        if k > 1:
            lists = [self.trees.kbest(sentence, k, beam) for sentence in encoded]
        else:
            lists = [[best] for best in self.trees.parse_batch(encoded, threads, beam)]
        return [self._analysis(*pair) for pair in zip(trees, lists, strict=True)]

    def parse_text(self, text: str, threads: int = 1) -> list[DependencyAnalysis]:
        """The best trees of the sentences of a raw text."""
        if self.tokeniser is None:
            raise TreewrightError("this model has no tokeniser, which raw text needs")
        sentences = [tree_of(sentence) for sentence in self.tokeniser.tokenise(text)]
        return self.parse_batch(sentences, threads=threads)

    def read(self, source: Path, options: ParseOptions) -> Iterator[DependencyTree]:
        """CoNLL-U, with or without heads, or text: raw, sentences on lines, or tokens."""
        options.reject(NAME, "decoder", "schedule", "tagged")
        possible: tuple[TextInput, ...] = ("raw", "sentences", "tokens")
        how = options.input(NAME, possible if self.tokeniser else ("tokens",))
        tokeniser = self.tokeniser if how != "tokens" else None
        return read_input(source, tokeniser, how == "sentences")

    def blocks(
        self, sentences: Iterable[DependencyTree], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """The analysis of each sentence, or its k best."""
        beam = _beam(options.beam)
        for some in batches(sentences):
            for analysis in self.parse_batch(some, options.k_best, beam=beam):
                yield format_analysis(analysis, form, options.k_best)

    def _analysis(self, tree: DependencyTree, found: Sequence[Tree]) -> DependencyAnalysis:
        made, relations = [], self.encoder.relations
        for arcs, labels, score in found:
            heads, names = arcs.tolist(), [relations[label] for label in labels.tolist()]
            if self.settings.lifts:
                heads, names = pseudo.decode(heads, names)
            made.append(DependencyAnalysis(parsed_tree(tree, heads, names), float(score)))
        return DependencyAnalysis(made[0].tree, made[0].score, tuple(made))

    def _as_tree(self, sentence: str | Sequence[str] | DependencyTree) -> DependencyTree:
        if isinstance(sentence, DependencyTree):
            return sentence
        if isinstance(sentence, str) and self.tokeniser is not None:
            found = self.tokeniser.tokenise(" ".join(sentence.split()), by_line=True)
            return tree_of(found[0]) if found else DependencyTree(())
        forms = sentence.split() if isinstance(sentence, str) else sentence
        return DependencyTree(tuple(plain_word(form) for form in forms))


def _lines(items: Sequence[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _beam(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= MAX_BEAM:
        raise ConfigError(f"--beam must be a whole number from 1 to {MAX_BEAM}, not {text!r}")
    return int(text)
