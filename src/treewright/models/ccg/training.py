"""Training of a CCG parser: taggers, grammar, features, forests on disk, weights.

Each stage is saved in the run directory, so that an interrupted run resumes where it stopped.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from treewright.arrays import Floats
from treewright.config import load as load_settings
from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.errors import ConfigError
from treewright.forests import ForestStore
from treewright.grammar.annotate import normalised
from treewright.grammar.compiled import Coarse, CompiledGrammar
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markedup import read_markedup
from treewright.grammar.rules import RuleSet, read_rules
from treewright.grammar.skipped import Skipped
from treewright.grammar.stored import grammar_bundle, grammar_from_bundle
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.examples import GoldSentence, Utilisation, gold_sentence
from treewright.models.ccg.forests import ForestMaker, frequent
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.settings import CcgSettings, GrammarSettings
from treewright.models.kinds import load
from treewright.models.tagging.model import (
    tagger_bundle,
    tagger_from_bundle,
    tags_bundle,
    tags_from_bundle,
)
from treewright.models.tagging.pos import pos_corpus, train_in_run
from treewright.models.tagging.supertagger import NAME as SUPER
from treewright.models.tagging.supertagger import (
    SuperSettings,
    Supertagger,
    jackknife,
    super_corpus,
    train_supertagger,
)
from treewright.scores.ccg.scorer import CcgScorer
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.train.folds import held_out
from treewright.train.run import Run
from treewright.train.shards import store_shards

Pos = Sequence[Sequence[str]]  # the POS tags of each sentence


def train_ccg(settings: CcgSettings, run: Run) -> CcgParser:
    """Trains a parser on a treebank."""
    prepared = prepare(settings, run)
    dev = CcgDev(read_treebank(settings.dev, settings.grammar, run)) if settings.dev else None
    parser = fit(prepared, settings, run, dev=dev)
    if dev is not None:
        parses = dev.parse(parser, gold_pos=not settings.pos_folds)
        run.record(dev=dev.scores(parses).as_dict())
    return parser


@dataclass(frozen=True, eq=False)
class Prepared:
    """The results of all stages before the weights are trained."""

    grammar: CompiledGrammar
    supertagger: Supertagger
    scorer: CcgScorer
    store: Path

    def parser(self, settings: CcgSettings, weights: Floats) -> CcgParser:
        """The parser with these weights; the last can be the supertagger's weight."""
        search, size = settings.search, len(self.scorer.keys)
        if settings.training.learns_tagger_weight:
            search = replace(search, tagger_weight=float(weights[-1]))
        scorer = self.scorer.with_weights(weights[:size])
        return CcgParser(
            self.grammar, self.supertagger, scorer, settings.chart, search, settings.inference
        )


def prepare(settings: CcgSettings, run: Run) -> Prepared:
    """Trains taggers, extracts grammar and features, builds forests; finished stages are loaded."""
    derivations = read_treebank(settings.train, settings.grammar, run)
    lexicon = Lexicon().learn(derivations)
    pos = _parts_of_speech(settings, derivations, run)
    supertagger = _supertagger(settings, derivations, lexicon, run, pos)
    taggers: Sequence[SequenceTagger] = [supertagger.tagger]
    if settings.training.tagger_folds:
        taggers = _jackknifed_taggers(settings, derivations, lexicon, run, pos)
    builder = _Builder(settings, derivations, lexicon, taggers, run, pos)
    features = run.stage("features", builder.features)
    scorer = CcgScorer(settings.features.all_templates, features.arrays["keys"])
    store = run.directory / "forests.store"
    if not store.exists():
        builder.store(store, grammar_from_bundle(features.parts["grammar"]), scorer)
    # Loaded again: building forests can have added rules to the grammar.
    grammar = grammar_from_bundle(features.parts["grammar"])
    return Prepared(grammar, supertagger, scorer, store)


def fit(
    prepared: Prepared,
    settings: CcgSettings,
    run: Run,
    name: str = "parser",
    dev: CcgDev | None = None,
) -> CcgParser:
    """Trains the weights that minimise the objective over the forests.

    dev: a development set, scored by labelled F during training.
    """
    shards = store_shards(prepared.store, run.shards)
    size = len(prepared.scorer.keys) + settings.training.learns_tagger_weight
    objective = run.objective(settings.objective, shards, size)

    def labelled_f(weights: Floats) -> float:
        assert dev is not None
        parser = prepared.parser(settings, weights)
        return dev.scores(dev.parse(parser, gold_pos=not settings.pos_folds)).labelled.f

    score = None if dev is None else labelled_f
    return prepared.parser(settings, run.optimise(name, objective, settings.optimiser, score))


def read_treebank(
    path: Path, settings: GrammarSettings, run: Run | None = None
) -> list[Derivation]:
    """Reads derivations with head indices; missing indices are derived from the markup.

    A derivation that cannot be read, or has a step that matches no rule, is an error; with
    `skip_bad`, it is counted and listed in the records of the run.
    """
    lexicon = Lexicon(read_markedup(settings.markedup) if settings.markedup else None)
    skipped = Skipped(strict=not settings.skip_bad)
    made = (
        skipped.attempt(str(path), each.id, partial(lexicon.indexed, normalised(each)))
        for each in read_auto(path, damaged=skipped.damaged if settings.skip_bad else None)
    )
    derivations = [derivation for derivation in made if derivation is not None]
    if skipped and run is not None:
        run.record(treebank=str(path), **skipped.report())
    return derivations


def treebank_grammar(
    derivations: Sequence[Derivation], lexicon: Lexicon, settings: GrammarSettings
) -> CompiledGrammar:
    """Compiles a grammar from the rules and lexical entries of derivations."""
    if settings.rules is not None:
        rules = load_settings(RuleSet, settings.rules)
    else:
        rules = read_rules(derivations, only_seen=settings.seen_pairs)
        rules = replace(rules, marked_conjuncts=settings.marked_conjuncts)
    if settings.max_order is not None:
        rules = replace(rules, max_order=settings.max_order)
    counts = Counter(entry for d in derivations for entry in lexicon.closest(d.leaves))
    entries = [entry for entry, n in counts.most_common() if n >= settings.entry_cutoff]
    return CompiledGrammar(rules, entries, lexicon.unary, Coarse.of(derivations))


def _parts_of_speech(settings: CcgSettings, derivations: Sequence[Derivation], run: Run) -> Pos:
    """POS tags to train on: gold, or predicted by jackknifing."""
    if not settings.pos_folds:
        return [[leaf.pos for leaf in derivation.leaves] for derivation in derivations]
    dev = pos_corpus(list(read_auto(settings.dev))) if settings.dev else None

    def make() -> Bundle:
        tags = jackknife(pos_corpus(derivations), settings.pos_folds, settings.pos, run, dev)
        return tags_bundle(tags)

    return tags_from_bundle(run.stage("pos-folds", make))


def _supertagger(
    settings: CcgSettings,
    derivations: Sequence[Derivation],
    lexicon: Lexicon,
    run: Run,
    pos: Pos,
) -> Supertagger:
    if settings.supertagger:
        loaded = load(settings.supertagger)
        if not isinstance(loaded, Supertagger):
            raise ConfigError(f"{settings.supertagger}: not a model of kind 'super'")
        return loaded
    how = SuperSettings(settings.train, settings.dev, tagger=settings.tagger, pos=settings.pos)

    def make() -> Bundle:
        return train_supertagger(derivations, how, run, lexicon, pos).bundle()

    return Supertagger.from_bundle(run.stage("supertagger", make))


def _jackknifed_taggers(
    settings: CcgSettings, derivations: Sequence[Derivation], lexicon: Lexicon, run: Run, pos: Pos
) -> list[Tagger]:
    """Supertaggers for jackknifing: the i-th of n is trained without every n-th sentence from i."""

    def train(fold: int, rest: list[int]) -> Tagger:
        made = run.stage(f"supertagger-{fold}", partial(make, fold, rest))
        return tagger_from_bundle(SUPER, made)

    def make(fold: int, rest: list[int]) -> Bundle:
        read = read_treebank(settings.dev, settings.grammar, run) if settings.dev else []
        dev = super_corpus(read, lexicon) if read else None
        corpus = super_corpus([derivations[i] for i in rest], lexicon, [pos[i] for i in rest])
        tagger = train_in_run(corpus, settings.tagger, run, f"fold-{fold}", dev)
        return tagger_bundle(SUPER, tagger)

    folds = settings.training.tagger_folds
    return held_out(range(len(derivations)), folds, train, "training.tagger_folds")


class _Builder:
    """Builds features and forests, with the same numbering of gold analyses in both."""

    def __init__(
        self,
        settings: CcgSettings,
        derivations: Sequence[Derivation],
        lexicon: Lexicon,
        taggers: Sequence[SequenceTagger],
        run: Run,
        pos: Pos,
    ) -> None:
        self.settings, self.taggers, self.run = settings, taggers, run
        self.derivations, self.lexicon, self.pos = derivations, lexicon, pos

    @cached_property
    def grammar(self) -> CompiledGrammar:
        return treebank_grammar(self.derivations, self.lexicon, self.settings.grammar)

    @cached_property
    def sentences(self) -> list[GoldSentence]:
        some = self.derivations[: self.settings.training.sentences or None]
        pairs = zip(some, self.pos, strict=False)
        return [gold_sentence(self.grammar, self.lexicon, each, pos) for each, pos in pairs]

    def features(self) -> Bundle:
        """The features of gold derivations, and the grammar, which can have grown meanwhile."""
        scorer = CcgScorer(self.settings.features.all_templates)
        maker = ForestMaker(self.settings, self.grammar, self.taggers, scorer)
        pieces, grows = maker.pieces(self.sentences), not self.grammar.closed
        # An open grammar numbers new rules as they occur, so one process has to see them all.
        counted = self.run.map("features", maker.gold_keys, pieces, size=len, alone=grows)
        keys = frequent(counted, self.settings.features.cutoff)
        return Bundle("features", {}, {"keys": keys}, {}, {"grammar": grammar_bundle(self.grammar)})

    def store(self, path: Path, grammar: CompiledGrammar, scorer: CcgScorer) -> None:
        """Writes the training forests to disk."""
        used = Utilisation()
        maker = ForestMaker(self.settings, grammar, self.taggers, scorer)
        pieces, grows = maker.pieces(self.sentences), not grammar.closed
        with ForestStore.create(path) as out:
            for made in self.run.map("forests", maker, pieces, size=len, alone=grows):
                for outcome, example in made:
                    used.count(outcome, example)
                    if example is not None:
                        out.add(example)
            used.check(self.settings.train)
        self.run.record(forests=used.record())
