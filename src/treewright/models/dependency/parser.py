"""The dependency parser for all algorithms: `parser.parse("She reads books")`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from treewright.config import from_dict
from treewright.data import conllu, pseudo
from treewright.data.dependency import TEXT, DependencyTree
from treewright.data.lines import Text, as_sentence, read_text
from treewright.data.records import Sentence
from treewright.draw.latex import latex_frame
from treewright.errors import ConfigError
from treewright.models.contract import Parser, changed, several
from treewright.models.dependency.algorithms import Found, TreeParser, algorithm_named
from treewright.models.dependency.analysis import (
    LISTED,
    Arc,
    DependencyAnalysis,
    flat,
    listed_marginals,
    parsed_tree,
    plain_word,
)
from treewright.models.dependency.settings import MAX_BEAM, DependencyConfig
from treewright.models.dependency.tags import DependencyTagger, hinted, with_tags
from treewright.models.reading import PLAIN, Reading
from treewright.models.tagging.parser import batches
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence, TreeEncoder
from treewright.storage.bundle import Bundle
from treewright.text.tokeniser import (
    SentenceSpan,
    Tokeniser,
    tokeniser_bundle,
    tokeniser_from_bundle,
)
from treewright.text.trees import one_sentence, tree_of

NAME = "dep"
TAGS, RELATIONS, TOKENS = "tags", "relations", "tok"
NEGLIGIBLE = 1e-6  # smaller arc probabilities are left out


class DependencyParser(Parser[DependencyAnalysis]):
    """A trained parser, with its tagger and tokeniser if it has them."""

    kind = NAME
    formats = DependencyAnalysis.formats
    treebanks = ("CoNLL-U",)
    frames = MappingProxyType({**Parser.frames, "latex": latex_frame(NAME)})

    def __init__(
        self,
        config: DependencyConfig,
        encoder: TreeEncoder,
        trees: TreeParser,
        tagger: DependencyTagger | None,
        tokeniser: Tokeniser | None = None,
    ) -> None:
        self.config, self.encoder, self.trees = config, encoder, trees
        self.tagger, self.tokeniser, self.max_words = tagger, tokeniser, trees.max_words

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
        """Other settings: decoder; for transition-based parsers also beam and temperature."""
        trees, config = self.trees, self.config
        if "temperature" in changes:
            warmer = changed(config.transition, {"temperature": changes.pop("temperature")}, NAME)
            config = replace(config, transition=warmer)
        if "beam" in changes:
            beam = _beam(changes.pop("beam"))
            trees = trees.with_beam(beam)
            config = replace(config, transition=replace(config.transition, beam=beam))
        if unknown := changes.keys() - {"decoder"}:
            known = "decoder, beam, temperature"
            raise ConfigError(f"a {NAME} model has no setting {min(unknown)!r}; it has {known}")
        config = changed(config, changes, NAME)
        trees = trees.with_decoder(config.decoder)
        made = DependencyParser(config, self.encoder, trees, self.tagger, self.tokeniser)
        return made.with_max_words(self.max_words)

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[DependencyTree]:
        """Reads CoNLL-U (heads are optional) or text: raw, one sentence per line, or tokens."""
        if how.tagged:
            raise ConfigError(f"a {NAME} model does not read word|POS; give tags in CoNLL-U")
        return super().read(source, how)

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[DependencyTree]:
        trees = conllu.read(file, heads="none")
        return hinted(trees, self.tagger, source, self.encoder.tag_columns)

    def from_words(self, sentence: Sentence) -> DependencyTree:
        return self._as_tree(sentence)

    def untagged(self, sentence: DependencyTree) -> DependencyTree:
        words = sentence.words
        bare = (word._replace(lemma="_", upos="_", xpos="_", feats="_") for word in words)
        return replace(sentence, words=tuple(bare))

    def parse(self, sentence: Text | DependencyTree) -> DependencyAnalysis:
        """The tree of a sentence: text, tokens, or a tree whose heads are ignored.

        Text is tokenised by the tokeniser, or at whitespace if there is none.
        """
        return next(self.parse_many([sentence]))

    def parse_many(
        self, sentences: Iterable[Text | DependencyTree], threads: int = 1
    ) -> Iterator[DependencyAnalysis]:
        for batch in batches(map(self._as_tree, several(sentences))):
            fit = [self.fits(tree) for tree in batch]
            trees = with_tags(list(compress(batch, fit)), self.tagger)
            encoded = self.encoder.encode_all([tree.words for tree in trees])
            parsed = map(self.analysis, trees, encoded, self.trees.parse_batch(encoded, threads))
            for tree, good in zip(batch, fit, strict=True):
                yield next(parsed) if good else flat(tree)

    def read_tokens(self, file: TextIO, tagged: bool) -> Iterator[DependencyTree]:
        return map(_cut_already, read_text(file, tagged=tagged))

    def prepared(self, span: SentenceSpan) -> DependencyTree:
        return tree_of(span)

    def analysis(
        self, tree: DependencyTree, encoded: EncodedSentence, arcs: Found
    ) -> DependencyAnalysis:
        """The analysis of a sentence for one of its trees."""
        relations = self.encoder.relations
        heads, names = arcs.heads.tolist(), [relations[n] for n in arcs.labels.tolist()]
        if self.config.lifts:
            heads, names = pseudo.decode(heads, names)
        parsed = parsed_tree(tree, heads, names)
        source = _Alternatives(self, tree, encoded)
        return DependencyAnalysis(parsed, float(arcs.score), arcs.gain, source)

    def _as_tree(self, given: Text | DependencyTree) -> DependencyTree:
        if isinstance(given, DependencyTree):
            return given
        if isinstance(given, str):
            return tree_of(one_sentence(self.tokeniser, given))
        tokens = as_sentence(given).tokens
        words = (plain_word(token.word)._replace(xpos=token.pos or "_") for token in tokens)
        tree = DependencyTree(tuple(words))
        return tree.named(given.id) if isinstance(given, Sentence) else tree


@dataclass(frozen=True, eq=False)
class _Alternatives:
    """Computes alternatives and marginals of a sentence with its parser."""

    parser: DependencyParser
    tree: DependencyTree
    encoded: EncodedSentence

    def kbest(self, k: int) -> list[DependencyAnalysis]:
        listed = self.parser.trees.kbest(self.encoded, k)
        return [self.parser.analysis(self.tree, self.encoded, each) for each in listed]

    def log_z(self) -> float | None:
        return self.parser.trees.log_z(self.encoded)

    def arc_marginals(self) -> list[dict[Arc, float]]:
        if not self.tree.words:
            return []
        table = self.parser.trees.marginals(self.encoded)
        if table is None:
            temperature = self.parser.config.transition.temperature
            return listed_marginals(self.kbest(LISTED), temperature)
        relations = self.parser.encoder.relations
        rows: list[dict[Arc, float]] = [{} for _ in self.tree.words]
        for head, word, label in zip(*(table >= NEGLIGIBLE).nonzero(), strict=True):
            rows[word - 1][int(head), relations[label]] = float(table[head, word, label])
        return rows


def _cut_already(sentence: Sentence) -> DependencyTree:
    words = sentence.words
    comments = (TEXT + " ".join(words),) if words else ()
    return DependencyTree(tuple(map(plain_word, words)), comments).named(sentence.id)


def _lines(items: Sequence[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _beam(given: object) -> int:
    if not str(given).isdecimal() or not 1 <= int(str(given)) <= MAX_BEAM:
        raise ConfigError(f"beam must be a whole number from 1 to {MAX_BEAM}, not {given!r}")
    return int(str(given))
