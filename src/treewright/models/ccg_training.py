"""Training of a CCG parser: taggers, grammar, features, forests on disk, weights.

Every step is kept in the run directory, so that a run that was killed goes on where it was.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treewright.data.auto import read_auto
from treewright.data.bundle import Bundle
from treewright.data.records import Derivation
from treewright.errors import ConfigError
from treewright.forests import ForestStore
from treewright.forests.ccg import Cells, ChartSettings
from treewright.grammar.coarse import Coarse
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.rules import read_rules
from treewright.models.ccg_examples import (
    GoldSentence,
    Utilisation,
    examples,
    gold_keys,
    gold_sentence,
)
from treewright.models.ccg_parser import CcgParser, Lattice, entries_of_tags, lattices
from treewright.models.ccg_scores import score_parser
from treewright.models.ccg_settings import CcgSettings, GrammarSettings
from treewright.models.kinds import load
from treewright.models.supertagger import SuperSettings, Supertagger, train_supertagger
from treewright.scores.ccg import CcgScorer
from treewright.scores.ccg_templates import SETS
from treewright.train.run import Run
from treewright.train.shards import store_shards

BATCH = 256


def train_ccg(settings: CcgSettings, run: Run) -> CcgParser:
    """A parser for the treebank that the settings name."""
    prepared = prepare(settings, run)
    parser = fit(prepared, settings, run)
    if settings.dev:
        derivations = list(read_auto(settings.dev))
        with run.progress("dev", len(derivations)) as bar:
            seen = (bar.passing(derivation) for derivation in derivations)
            run.record(dev=score_parser(parser, seen).as_dict())
    return parser


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that training needs before it is told what to optimise."""

    grammar: CompiledGrammar
    supertagger: Supertagger
    scorer: CcgScorer
    store: Path


def prepare(settings: CcgSettings, run: Run) -> Prepared:
    """Taggers, grammar, features and forests; what the run directory has is not made again."""
    derivations = list(read_auto(settings.train))
    lexicon = Lexicon().learn(derivations)
    supertagger = _supertagger(settings, derivations, lexicon, run)
    grammar = treebank_grammar(derivations, lexicon, settings.grammar)
    some = derivations[: settings.training.sentences or None]
    sentences = [gold_sentence(grammar, lexicon, derivation) for derivation in some]
    builder = _Builder(settings, grammar, supertagger, run)
    scorer = builder.scorer(sentences)
    return Prepared(grammar, supertagger, scorer, builder.store(scorer, sentences))


def fit(prepared: Prepared, settings: CcgSettings, run: Run, name: str = "parser") -> CcgParser:
    """The parser whose weights minimise the settings' objective over the forests."""
    shards = store_shards(prepared.store, run.shards)
    objective = run.objective(settings.objective, shards, len(prepared.scorer.keys))
    weights = run.optimise(name, objective, settings.optimiser)
    return CcgParser(
        prepared.grammar,
        prepared.supertagger,
        prepared.scorer.with_weights(weights),
        settings.chart,
        settings.search,
        settings.inference,
    )


def treebank_grammar(
    derivations: Sequence[Derivation], lexicon: Lexicon, settings: GrammarSettings
) -> CompiledGrammar:
    """The rules and the lexical entries that derivations show, compiled."""
    rules = read_rules(derivations, only_seen=settings.seen_pairs)
    rules = replace(rules, marked_conjuncts=settings.marked_conjuncts)
    counts = Counter(entry for d in derivations for entry in lexicon.closest(d.leaves))
    entries = [entry for entry, n in counts.most_common() if n >= settings.entry_cutoff]
    return CompiledGrammar(rules, entries, lexicon.unary, Coarse.of(derivations))


def _supertagger(
    settings: CcgSettings, derivations: Sequence[Derivation], lexicon: Lexicon, run: Run
) -> Supertagger:
    if settings.supertagger:
        found = load(settings.supertagger)
        if not isinstance(found, Supertagger):
            raise ConfigError(f"{settings.supertagger}: not a model of kind 'super'")
        return found
    how = SuperSettings(settings.train, tagger=settings.tagger, pos=settings.pos)

    def make() -> Bundle:
        return train_supertagger(derivations, how, run, lexicon).bundle()

    return Supertagger.from_bundle(run.stage("supertagger", make))


@dataclass(frozen=True, eq=False)
class _Builder:
    """Makes features and forests, or finds them in the run directory."""

    settings: CcgSettings
    grammar: CompiledGrammar
    supertagger: Supertagger
    run: Run

    def scorer(self, sentences: Sequence[GoldSentence]) -> CcgScorer:
        """The model with the features of gold derivations, and no weights yet."""
        features = self.settings.features
        templates = [*SETS[features.set], *features.templates]
        empty = CcgScorer(templates)
        chart = self._chart(empty)

        def make() -> Bundle:
            with self.run.progress("features", len(sentences)) as bar:
                seen = (bar.passing(sentence) for sentence in sentences)
                keys = gold_keys(self.grammar, empty, seen, chart, features.cutoff)
            return Bundle("features", {}, {"keys": keys}, {})

        return CcgScorer(templates, self.run.stage("features", make).arrays["keys"])

    def store(self, scorer: CcgScorer, sentences: Sequence[GoldSentence]) -> Path:
        """The training forests on disk."""
        path = self.run.directory / "forests.store"
        if path.exists():
            return path
        used = Utilisation()
        chart = self._chart(scorer)
        unreachable = self.settings.training.unreachable
        with self.run.progress("forests", len(sentences)) as bar, ForestStore.create(path) as out:
            offered = ((bar.passing(s), cells) for s, cells in self._cells(sentences))
            for example in examples(self.grammar, scorer, offered, chart, unreachable, used):
                out.add(example)
        self.run.record(forests=used.record())
        return path

    def _chart(self, scorer: CcgScorer) -> ChartSettings:
        training = self.settings.training
        return replace(
            self.settings.chart,
            margin=training.margin,
            cell_margin=training.cell_margin,
            spans=scorer.uses_spans,
        )

    def _cells(
        self, sentences: Sequence[GoldSentence]
    ) -> Iterator[tuple[GoldSentence, Iterator[Cells]]]:
        """The lexical cells of every sentence, beam by beam."""
        entry_of_tag = entries_of_tags(self.grammar, self.supertagger)
        training = self.settings.training
        for begin in range(0, len(sentences), BATCH):
            batch = sentences[begin : begin + BATCH]
            words, pos = [s.words for s in batch], [s.pos for s in batch]
            found = lattices(self.supertagger, words, pos, entry_of_tag, training.cutoff)
            yield from zip(batch, map(self._beams, found), strict=True)

    def _beams(self, lattice: Lattice) -> Iterator[Cells]:
        return (lattice.cells(beam) for beam in self.settings.training.beams)
