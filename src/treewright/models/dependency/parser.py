"""The dependency parser, whatever its algorithm: `parser.parse("She reads books")`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from treewright.config import from_dict
from treewright.data import pseudo
from treewright.data.dependency import DependencyTree
from treewright.data.text import Text, as_sentence
from treewright.errors import ConfigError, TreewrightError
from treewright.models.contract import PLAIN, Parser, Reading, TextInput, changed
from treewright.models.dependency.algorithms import Found, TreeParser, algorithm_named
from treewright.models.dependency.analysis import Arc, DependencyAnalysis, parsed_tree, plain_word
from treewright.models.dependency.config import DependencyConfig
from treewright.models.dependency.files import read_input
from treewright.models.dependency.settings import MAX_BEAM
from treewright.models.dependency.tags import DependencyTagger, with_tags
from treewright.models.tagging.parser import batches
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence, TreeEncoder
from treewright.storage.bundle import Bundle
from treewright.text.bundle import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.tokeniser import Tokeniser
from treewright.text.trees import tree_of

NAME = "dep"
TAGS, RELATIONS, TOKENS = "tags", "relations", "tok"
NEGLIGIBLE = 1e-6  # probabilities of arcs below this are left out


class DependencyParser(Parser[DependencyAnalysis]):
    """A trained parser with its tagger, if it has one."""

    kind = NAME
    formats = DependencyAnalysis.formats

    def __init__(
        self,
        config: DependencyConfig,
        encoder: TreeEncoder,
        trees: TreeParser,
        tagger: DependencyTagger | None,
        tokeniser: Tokeniser | None = None,
    ) -> None:
        self.config, self.encoder, self.trees = config, encoder, trees
        self.tagger, self.tokeniser = tagger, tokeniser

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "DependencyParser":
        config = from_dict(DependencyConfig, bundle.config, "config.toml")
        values = {name: bundle.texts[name].split("\n")[:-1] for name in ATTRIBUTES}
        encoder = TreeEncoder(values, bundle.texts[RELATIONS].split("\n")[:-1])
        trees = algorithm_named(config.algorithm).load(config, encoder, bundle.arrays)
        tags, tokens = bundle.parts.get(TAGS), bundle.parts.get(TOKENS)
        tagger = DependencyTagger.from_bundle(tags) if tags else None
        tokeniser = tokeniser_from_bundle(tokens) if tokens else None
        return cls(config, encoder, trees.with_decoder(config.decoder), tagger, tokeniser)

    def bundle(self) -> Bundle:
        arrays = algorithm_named(self.config.algorithm).arrays(self.trees)
        texts = {name: _lines(values) for name, values in self.encoder.values.items()}
        texts[RELATIONS] = _lines(self.encoder.relations)
        parts = {TAGS: self.tagger.bundle()} if self.tagger else {}
        if self.tokeniser:
            parts[TOKENS] = tokeniser_bundle(self.tokeniser)
        return Bundle(NAME, asdict(self.config), arrays, texts, parts)

    def with_settings(self, **changes: Any) -> "DependencyParser":
        """Other settings: decoder, and for transition-based parsers beam."""
        trees, config = self.trees, self.config
        if "beam" in changes:
            beam = _beam(changes.pop("beam"))
            trees = trees.with_beam(beam)
            config = replace(config, transition=replace(config.transition, beam=beam))
        if unknown := changes.keys() - {"decoder"}:
            raise ConfigError(f"a {NAME} model has no setting {min(unknown)!r}, but decoder, beam")
        config = changed(config, changes, NAME)
        trees = trees.with_decoder(config.decoder)
        return DependencyParser(config, self.encoder, trees, self.tagger, self.tokeniser)

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[DependencyTree]:
        """CoNLL-U, with or without heads, or text: raw, sentences on lines, or tokens."""
        if how.tagged:
            raise ConfigError(f"a {NAME} model reads tags from CoNLL-U files, not from word|POS")
        possible: tuple[TextInput, ...] = ("raw", "sentences", "tokens")
        text = how.text_as(NAME, possible if self.tokeniser else ("tokens",))
        return read_input(source, None if text == "tokens" else self.tokeniser, text == "sentences")

    def parse(self, sentence: Text | DependencyTree) -> DependencyAnalysis:
        """The tree of a sentence: text, tokens, or tagged words.

        Text is cut into tokens by the model's tokeniser, or at spaces where it has none.
        """
        return next(self.parse_many([sentence]))

    def parse_many(
        self, sentences: Iterable[Text | DependencyTree], threads: int = 1
    ) -> Iterator[DependencyAnalysis]:
        for batch in batches(map(self._as_tree, sentences)):
            trees = with_tags(batch, self.tagger, self.config.tags == "automatic")
            encoded = [self.encoder.encode(tree.words) for tree in trees]
            found = self.trees.parse_batch(encoded, threads)
            yield from map(self.analysis, trees, encoded, found)

    def parse_text(self, text: str, threads: int = 1) -> list[DependencyAnalysis]:
        """The trees of the sentences of a raw text."""
        if self.tokeniser is None:
            raise TreewrightError("this model has no tokeniser, which raw text needs")
        return list(self.parse_many(map(tree_of, self.tokeniser.tokenise(text)), threads))

    def analysis(
        self, tree: DependencyTree, encoded: EncodedSentence, found: Found
    ) -> DependencyAnalysis:
        """One of the trees of a sentence, as users see it."""
        relations = self.encoder.relations
        heads, names = found.heads.tolist(), [relations[n] for n in found.labels.tolist()]
        if self.config.lifts:
            heads, names = pseudo.decode(heads, names)
        parsed = parsed_tree(tree, heads, names)
        source = _Alternatives(self, tree, encoded)
        return DependencyAnalysis(parsed, float(found.score), found.gain, source)

    def _as_tree(self, given: Text | DependencyTree) -> DependencyTree:
        if isinstance(given, DependencyTree):
            return given
        if isinstance(given, str) and self.tokeniser is not None:
            found = self.tokeniser.tokenise(" ".join(given.split()), by_line=True)
            return tree_of(found[0]) if found else DependencyTree(())
        tokens = as_sentence(given).tokens
        words = (plain_word(token.word)._replace(xpos=token.pos or "_") for token in tokens)
        return DependencyTree(tuple(words))


@dataclass(frozen=True, eq=False)
class _Alternatives:
    """A sentence and its parser."""

    parser: DependencyParser
    tree: DependencyTree
    encoded: EncodedSentence

    def kbest(self, k: int) -> list[DependencyAnalysis]:
        found = self.parser.trees.kbest(self.encoded, k)
        return [self.parser.analysis(self.tree, self.encoded, each) for each in found]

    def arc_marginals(self) -> list[dict[Arc, float]] | None:
        table = self.parser.trees.marginals(self.encoded)
        if table is None:
            return None
        relations = self.parser.encoder.relations
        rows: list[dict[Arc, float]] = [{} for _ in self.tree.words]
        for head, word, label in zip(*(table >= NEGLIGIBLE).nonzero(), strict=True):
            rows[word - 1][int(head), relations[label]] = float(table[head, word, label])
        return rows


def _lines(items: Sequence[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _beam(given: object) -> int:
    if not str(given).isdecimal() or not 1 <= int(str(given)) <= MAX_BEAM:
        raise ConfigError(f"beam must be a whole number from 1 to {MAX_BEAM}, not {given!r}")
    return int(str(given))
