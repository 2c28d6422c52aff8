"""The constituency parser: from words to trees with scores, marginals and alternatives."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from treewright.arrays import Floats, Indices
from treewright.data import ptb
from treewright.data.brackets import Bracketed, escape
from treewright.errors import ConfigError
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.grammar.binarise import restore
from treewright.grammar.treebank import Span, enclose
from treewright.inference import exact
from treewright.models.constituency.data import Words, read_input, split_tags, to_nltk
from treewright.models.constituency.decode import DECODERS, constituents, decode
from treewright.models.constituency.prune import Pruner
from treewright.models.kinds import NO_FRAMES, ParseOptions
from treewright.scores.constituency.encoder import SpanEncoder, Tokens
from treewright.storage.bundle import Bundle

MOST_WORDS, MOST_DENSE = 2000, 300  # of a sentence that a chart holds: pruned, or of a PCFG
Tagger = Callable[[Sequence[str]], Sequence[str]]
ScoreParts = Callable[[Tokens, Chart], Floats]


@dataclass(frozen=True, eq=False)
class Analysis:
    """A parsed sentence; `score` is None where the grammar has no tree, only the span model."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    tree: Bracketed
    score: float | None
    chart: Chart | None = field(repr=False)
    scores: Floats | None = field(repr=False)
    parser: "ConstParser" = field(repr=False)

    @cached_property
    def marginals(self) -> dict[Span, float]:
        """The posterior of every constituent that the chart has."""
        if self.chart is None or self.scores is None:
            return {}
        events, spans = constituents(self.chart, self.parser.counter)
        posterior = events.matrix().T @ exact.marginals(self.chart.forest, self.scores).parts
        return {Span(*each): float(p) for each, p in zip(spans, posterior, strict=True)}

    def kbest(self, k: int) -> list[tuple[float, Bracketed]]:
        """The k best different trees with their scores, best first; fewer if there are fewer."""
        if self.chart is None or self.scores is None:
            return [(float("-inf"), self.tree)]
        found: dict[str, tuple[float, Bracketed]] = {}
        for each in exact.kbest(self.chart.forest, self.scores, k):
            tree = self.parser.tree(self.chart, each.edges, self.words, self.tags)
            found.setdefault(ptb.format_tree(tree), (each.score, tree))
        return list(found.values())

    def to_nltk(self) -> Any:
        """The tree as nltk.Tree; needs the package nltk."""
        return to_nltk(self.tree)

    def bracketed(self) -> str:
        """The tree on one line, in an outermost bracket."""
        return ptb.format_tree(enclose(self.tree))

    def __str__(self) -> str:
        from treewright.formats.constituency.drawing import draw

        return draw(self.tree)


def legal(words: Sequence[str]) -> tuple[str, ...]:
    """Words or tags as bracket files may have them; treebanks differ on square brackets."""
    return tuple(escape(word, "()") for word in words)


def known_tags(grammar: ConstGrammar, tags: Sequence[str]) -> list[str]:
    """The tags; those that the treebank never had stand for its most frequent noun."""
    known = set(grammar.rules.tags)
    return [tag if tag in known else "NN" for tag in tags]


def words_and_tags(
    sentence: str | Sequence[str], tags: Sequence[str] | None, tagger: Tagger | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words and tags of words, of a text of words apart by spaces, or of tokens `word|TAG`."""
    words = sentence.split() if isinstance(sentence, str) else list(sentence)
    if tags is None:
        try:
            words, tags = split_tags(words)
        except ValueError as error:
            raise ConfigError(str(error)) from error
    if tags is None:
        if tagger is None:
            raise ConfigError("this parser has no tagger: give tokens as word|TAG")
        tags = tagger(legal(words))
    if not words or len(words) != len(tags):
        raise ConfigError(f"{len(words)} words with {len(tags)} tags")
    return legal(words), legal(tags)


class ConstParser:
    """A trained parser: what is shared by models with features and by weighted grammars."""

    formats = ("brackets", "drawing", "kbest")
    frames = NO_FRAMES

    def __init__(
        self,
        grammar: ConstGrammar,
        encoder: SpanEncoder,
        pruner: Pruner,
        layout: Layout,
        score_parts: ScoreParts,
        bundle: Bundle | None,
        decoder: str = "viterbi",
    ) -> None:
        self.grammar, self.encoder, self.pruner = grammar, encoder, pruner
        self.layout, self.score_parts, self.decoder = layout, score_parts, decoder
        self._bundle = bundle
        self.counter = ConstituentCounter(grammar)
        self.tagger: Tagger | None = None

    def bundle(self) -> Bundle:
        if self._bundle is None:
            raise ConfigError("this parser is of an experiment and cannot be saved")
        return self._bundle

    def parse(
        self,
        sentence: str | Sequence[str],
        tags: Sequence[str] | None = None,
        decoder: str | None = None,
    ) -> Analysis:
        """Parses words, a text of words apart by spaces, or tokens `word|TAG`."""
        found = words_and_tags(sentence, tags, self.tagger)
        return self._analyse(*found, decoder or self.decoder)

    def chart(
        self, words: Sequence[str], tags: Sequence[str], threshold: float | None = None
    ) -> Chart | None:
        """The chart at one pruning threshold, without counts; None if it has no tree."""
        candidates = self.pruner.candidates(self.encoder.tokens(words, tags), threshold)
        return self.grammar.chart(self._tag_numbers(tags), candidates, self.layout)

    def _analyse(self, words: tuple[str, ...], tags: tuple[str, ...], decoder: str) -> Analysis:
        tokens = self.encoder.tokens(words, tags)
        chart = self.pruner.chart(tokens, self._tag_numbers(tags), self.layout)
        if chart is None:
            tree = restore(self.pruner.fallback(tokens, words, tags))
            return Analysis(words, tags, tree, None, None, None, self)
        scores = self.score_parts(tokens, chart)
        best = decode(chart, scores, decoder, self.counter)
        tree = self.tree(chart, best.edges, words, tags)
        return Analysis(words, tags, tree, best.score, chart, scores, self)

    def tree(
        self, chart: Chart, edges: Any, words: Sequence[str], tags: Sequence[str]
    ) -> Bracketed:
        """The original tree of a derivation."""
        return restore(self.grammar.tree(chart, edges, words, tags))

    def _tag_numbers(self, tags: Sequence[str]) -> Indices:
        return self.grammar.tag_numbers(known_tags(self.grammar, tags))

    def read(self, source: Path, options: ParseOptions) -> Iterator[Words]:
        """Words, with tags if they have some, of a bracket file or of lines of text."""
        options.reject("const", "beam", "schedule")
        return read_input(source, options.tagged)

    def blocks(self, sentences: Iterable[Words], form: str, options: ParseOptions) -> Iterator[str]:
        """One tree a sentence, or its k best ones with their scores, or a drawing.

        Without words, or with too many for a chart, a sentence has `()`.
        """
        if options.k_best > 1 and form != "kbest":
            raise ConfigError("a constituency parser gives several trees in --format kbest only")
        if options.decoder is not None and form == "kbest":
            raise ConfigError("lists of the best trees are Viterbi's: no --decoder")
        if options.decoder not in (None, *DECODERS):
            raise ConfigError(f"unknown decoder {options.decoder!r}: {', '.join(DECODERS)}")
        for words, tags in sentences:
            if not 0 < len(words) <= MOST_WORDS:
                yield ptb.NO_PARSE + "\n"
                continue
            found = self.parse(words, tags, options.decoder)
            if form == "kbest":
                trees = found.kbest(options.k_best)
                lines = (f"{score:.6f}\t{ptb.format_tree(enclose(tree))}" for score, tree in trees)
                yield "\n".join(lines) + "\n\n"
            else:
                yield (f"{found}\n" if form == "drawing" else f"{found.bracketed()}\n")


class PcfgParser:
    """A treebank grammar with relative frequencies: the baseline. Dense CKY, nothing pruned."""

    formats = ("brackets",)
    frames = NO_FRAMES

    def __init__(
        self,
        grammar: ConstGrammar,
        scores: Floats,
        bundle: Bundle,
        tagger: Tagger | None = None,
    ) -> None:
        self.grammar, self.scores, self._bundle = grammar, scores, bundle
        self.tagger = tagger

    def bundle(self) -> Bundle:
        return self._bundle

    def parse(
        self, sentence: str | Sequence[str], tags: Sequence[str] | None = None
    ) -> Bracketed | None:
        """The most probable tree, None where there is none; sentences as `ConstParser` has them."""
        words, tags = words_and_tags(sentence, tags, self.tagger)
        numbers = self.grammar.tag_numbers(known_tags(self.grammar, tags))
        nodes = self.grammar.best_nodes(numbers, self.scores)
        return restore(self.grammar.tree_of_nodes(nodes, words, tags)) if len(nodes) else None

    def read(self, source: Path, options: ParseOptions) -> Iterator[Words]:
        """As the other parser does."""
        options.reject("const", "beam", "schedule", "k_best", "decoder")
        return read_input(source, options.tagged)

    def blocks(
        self,
        sentences: Iterable[Words],
        form: str,  # noqa: ARG002 - there is one
        options: ParseOptions,  # noqa: ARG002 - and no options
    ) -> Iterator[str]:
        """One tree a line, `()` where there is none."""
        for words, tags in sentences:
            tree = self.parse(words, tags) if 0 < len(words) <= MOST_DENSE else None
            yield (ptb.NO_PARSE if tree is None else ptb.format_tree(enclose(tree))) + "\n"
