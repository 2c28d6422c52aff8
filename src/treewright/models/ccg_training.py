"""Training of a CCG parser: taggers, grammar, features, forests on disk, weights.

Every step is kept in the run directory, so that a run that was killed goes on where it was.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from treewright.inference.box import Floats
from treewright.models.ccg_examples import (
    ExampleMaker,
    GoldSentence,
    Utilisation,
    examples,
    gold_keys,
    gold_sentence,
)
from treewright.models.ccg_lattice import Lattice, entries_of_tags, lattices
from treewright.models.ccg_parser import CcgParser
from treewright.models.ccg_scores import score_parser
from treewright.models.ccg_settings import CcgSettings, GrammarSettings
from treewright.models.kinds import load
from treewright.models.pos import train_in_run
from treewright.models.supertagger import NAME as SUPER
from treewright.models.supertagger import (
    SuperSettings,
    Supertagger,
    super_corpus,
    train_supertagger,
)
from treewright.models.tagger_bundle import tagger_bundle, tagger_from_bundle
from treewright.scores.ccg import CcgScorer
from treewright.scores.ccg_templates import SETS
from treewright.scores.tagger import Tagger
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

    def parser(self, settings: CcgSettings, weights: Floats) -> CcgParser:
        """The parser with weights from training; the last may be the supertagger's."""
        search, size = settings.search, len(self.scorer.keys)
        if settings.training.learns_tagger_weight:
            search = replace(search, tagger_weight=float(weights[-1]))
        scorer = self.scorer.with_weights(weights[:size])
        how = (settings.chart, search, settings.inference)
        return CcgParser(self.grammar, self.supertagger, scorer, *how)


def prepare(settings: CcgSettings, run: Run) -> Prepared:
    """Taggers, grammar, features and forests; what the run directory has is not made again."""
    derivations = list(read_auto(settings.train))
    lexicon = Lexicon().learn(derivations)
    supertagger = _supertagger(settings, derivations, lexicon, run)
    grammar = treebank_grammar(derivations, lexicon, settings.grammar)
    some = derivations[: settings.training.sentences or None]
    sentences = [gold_sentence(grammar, lexicon, derivation) for derivation in some]
    folds = settings.training.tagger_folds
    taggers = _held_out(settings, derivations, lexicon, run) if folds else [supertagger.tagger]
    builder = _Builder(settings, grammar, taggers, run)
    scorer = builder.scorer(sentences)
    return Prepared(grammar, supertagger, scorer, builder.store(scorer, sentences))


def fit(prepared: Prepared, settings: CcgSettings, run: Run, name: str = "parser") -> CcgParser:
    """The parser whose weights minimise the settings' objective over the forests."""
    shards = store_shards(prepared.store, run.shards)
    size = len(prepared.scorer.keys) + settings.training.learns_tagger_weight
    objective = run.objective(settings.objective, shards, size)
    return prepared.parser(settings, run.optimise(name, objective, settings.optimiser))


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


def _held_out(
    settings: CcgSettings, derivations: Sequence[Derivation], lexicon: Lexicon, run: Run
) -> list[Tagger]:
    """Supertaggers, of which each has not seen every n-th sentence."""
    folds = settings.training.tagger_folds

    def train(fold: int) -> Bundle:
        rest = [d for i, d in enumerate(derivations) if i % folds != fold]
        corpus = super_corpus(rest, lexicon)
        tagger = train_in_run(corpus, settings.tagger, run, f"fold-{fold}")
        return tagger_bundle(SUPER, tagger)

    names = [f"supertagger-{fold}" for fold in range(folds)]
    made = [run.stage(name, partial(train, fold)) for fold, name in enumerate(names)]
    return [tagger_from_bundle(SUPER, bundle) for bundle in made]


@dataclass(frozen=True, eq=False)
class _Builder:
    """Makes features and forests, or finds them in the run directory.

    taggers: the i-th of n tags the sentences whose number is i modulo n.
    """

    settings: CcgSettings
    grammar: CompiledGrammar
    taggers: Sequence[Tagger]
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
        training = self.settings.training
        how = (self._chart(scorer), training.unreachable, training.learns_tagger_weight)
        make = ExampleMaker(self.grammar, scorer, *how)
        with self.run.progress("forests", len(sentences)) as bar, ForestStore.create(path) as out:
            offered = ((bar.passing(s), cells) for s, cells in self._cells(sentences))
            for example in examples(make, offered, used, self.run.threads):
                out.add(example)
        self.run.record(forests=used.record())
        return path

    def _chart(self, scorer: CcgScorer) -> ChartSettings:
        training = self.settings.training
        return replace(
            self.settings.chart,
            margin=training.margin,
            cell_margin=training.cell_margin,
            max_items=training.max_items,
            spans=scorer.uses_spans,
        )

    def _cells(
        self, sentences: Sequence[GoldSentence]
    ) -> Iterator[tuple[GoldSentence, Iterator[Cells]]]:
        """The lexical cells of every sentence, beam by beam."""
        step = BATCH * len(self.taggers)
        for begin in range(0, len(sentences), step):
            batch = sentences[begin : begin + step]
            found: list[Iterator[Cells]] = [iter(()) for _ in batch]
            for fold, tagger in enumerate(self.taggers):
                found[fold :: len(self.taggers)] = self._tagged(
                    tagger, batch[fold :: len(self.taggers)]
                )
            yield from zip(batch, found, strict=True)

    def _tagged(self, tagger: Tagger, sentences: Sequence[GoldSentence]) -> list[Iterator[Cells]]:
        words, pos = [s.words for s in sentences], [s.pos for s in sentences]
        entry_of_tag = entries_of_tags(self.grammar, tagger)
        cutoff = self.settings.training.beams[0].cutoff
        return list(map(self._beams, lattices(tagger, words, pos, entry_of_tag, cutoff)))

    def _beams(self, lattice: Lattice) -> Iterator[Cells]:
        return (lattice.cells(beam) for beam in self.settings.training.beams)
