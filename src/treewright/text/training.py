"""Training of tokenisers: likelihood character by character, then any objective over segments.

The first stage is AdaGrad over the characters of the treebank's raw text. The second builds a
forest for each stretch of text over the tags that the first leaves (`treewright.text.segments`),
in which tokens and sentences are counted, and minimises an objective of `treewright.losses`,
such as softmax-margin with 1 - F1 of tokens and sentences. Its prior is around the first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices, Integers, Keys
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.forests import Example
from treewright.metrics.counts import Score
from treewright.scores.tagging.dictionary import TagDictionary
from treewright.scores.tagging.encoder import CompiledTemplates, Encoded, compile_templates
from treewright.scores.tagging.local import LocalLikelihood, collect_features
from treewright.scores.tagging.positions import PositionModel
from treewright.text.characters import Bools, Characters, CharacterTable, read_characters
from treewright.text.columns import NEED_BLANKS, Columns
from treewright.text.lexicon import Occurrences, learn_lexicon, occurrences
from treewright.text.raw import RawText, assemble
from treewright.text.segments import (
    ENDS_SENTENCE,
    ENDS_TOKEN,
    NAMES,
    SETS,
    WHOLE,
    gold_tags,
    segment_example,
    tag_sets,
)
from treewright.text.settings import TokeniserSettings
from treewright.text.signs import learn_paired
from treewright.text.splitter import learn_splitter
from treewright.text.tokeniser import Tokeniser, encode
from treewright.text.variants import learn_variants
from treewright.train.minibatch import Shifted
from treewright.train.run import Run


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the training text."""

    raw: RawText
    characters: Characters
    gold: Indices

    @cached_property
    def occurrences(self) -> Occurrences:
        """The contribution of the part to a lexicon."""
        ends = np.flatnonzero(ENDS_TOKEN[self.gold]) + 1
        return occurrences(self.characters, ends, np.flatnonzero(ENDS_SENTENCE[self.gold]) + 1)

    def multiword(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The multiword tokens with their words."""
        text = self.raw.text
        return ((text[t.start : t.end], t.words) for t in self.raw.tokens if t.words)

    def has_blanks_inside(self) -> bool:
        """Whether a token contains whitespace."""
        goes_on = ~ENDS_TOKEN[self.gold]
        return bool((goes_on & self.characters.spaced).any())


def read_parts(trees: Sequence[DependencyTree], folds: int, seed: int = 0) -> list[Part]:
    """The treebank as raw texts, one per fold, in order; line ends vary with the seed."""
    table = CharacterTable()
    size = -(-len(trees) // folds)
    starts = range(0, len(trees), size)
    return [read_part(trees[a : a + size], table, Random(f"{seed} {a}")) for a in starts]


def read_part(
    trees: Sequence[DependencyTree], table: CharacterTable, random: Random | None = None
) -> Part:
    """Sentences as raw text."""
    raw = assemble(trees, random)
    characters = read_characters(raw.text, table)
    return Part(raw, characters, gold_tags(characters, raw.tokens))


STRETCH = 8  # sentences per example in the second stage


class TokeniserTraining:
    """The data of both stages; positions at which no token can end are left out."""

    def __init__(
        self, trees: Sequence[DependencyTree], settings: TokeniserSettings, seed: int = 0
    ) -> None:
        self.settings = settings
        parts = read_parts(trees, settings.folds, seed)
        self.lexicon = learn_lexicon([part.occurrences for part in parts])
        self.splitter = learn_splitter(pair for part in parts for pair in part.multiword())
        self.blanks_inside = any(part.has_blanks_inside() for part in parts)
        self.paired = learn_paired((part.characters, ENDS_TOKEN[part.gold]) for part in parts)
        self.variants = learn_variants(part.raw.text for part in parts)
        self.texts = useful_templates(settings.templates, self.lexicon.dense)
        self.templates = compile_templates(self.texts, ())
        pieces = [self._encoded(parts, i) for i in range(len(parts))]
        self.sets = np.concatenate([sets for _, sets, _ in pieces])
        self.gold = np.concatenate([part.gold for part in parts])
        self.open = np.flatnonzero(self.sets != WHOLE)
        self.encoded = _joined([encoded for encoded, _, _ in pieces])
        keys = np.concatenate([keys for _, _, keys in pieces])
        s = settings
        cutoffs = [s.pair_cutoff if " " in text else s.cutoff for text in self.texts]
        self.features = collect_features(keys, self.gold[self.open], len(NAMES), cutoffs)

    def _encoded(self, parts: Sequence[Part], i: int) -> tuple[Encoded, Indices, Keys]:
        """Encodes a part; its words are looked up in the other parts."""
        others = [part.occurrences for part in parts if part is not parts[i]]
        columns = Columns(parts[i].characters, learn_lexicon(others or [parts[i].occurrences]))
        encoded = encode(columns, self.templates.word_columns)
        whole = self.lexicon.whole(columns.characters, columns.run)
        sets = tag_sets(columns.characters, whole, self.blanks_inside)
        keys = hashed(self.templates, encoded)
        return encoded, sets, keys[sets != WHOLE]

    def local(self) -> LocalLikelihood:
        """The objective of the first stage."""
        at = self.open
        return LocalLikelihood(
            self.features, len(NAMES), sets_dictionary(), self.sets[at], self.gold[at]
        )

    def tokeniser(self, weights: Floats) -> Tokeniser:
        """The tokeniser with these weights."""
        f, sets = self.features, sets_dictionary()
        model = PositionModel(
            self.templates,
            len(NAMES),
            sets.first,
            sets.tag,
            f.keys,
            f.row_first,
            f.row_tag,
            weights.astype(np.float32),
        )
        s = self.settings
        learnt = self.lexicon, self.splitter, self.blanks_inside
        signs = self.paired, self.variants
        return Tokeniser(self.texts, model, *learnt, s.sentence_bias, *signs)

    def examples(self, tokeniser: Tokeniser) -> Iterator[Example]:
        """Segments of text as forests over the tags kept by a tokeniser, with gold added."""
        posteriors = tokeniser.model.posteriors(
            self.encoded, self.sets, self.settings.training_beta
        )
        mask = np.zeros((len(self.gold), len(NAMES)), dtype=np.bool_)
        mask[posteriors.positions, posteriors.tag] = True
        mask[np.arange(len(self.gold)), self.gold] = True
        decisions = mask.sum(axis=1) > 1
        ends = np.flatnonzero(ENDS_SENTENCE[self.gold]) + 1
        bounds = [0, *ends[STRETCH - 1 : -1 : STRETCH].tolist(), len(self.gold)]
        for number, (a, b) in enumerate(pairwise(bounds)):
            chosen = a + np.flatnonzero(decisions[a:b])
            if len(chosen):
                yield self._example(tokeniser, str(number), (a, b), chosen, mask[chosen])

    def _example(
        self,
        tokeniser: Tokeniser,
        name: str,
        bounds: tuple[int, int],
        chosen: Integers,
        mask: NDArray[np.bool_],
    ) -> Example:
        tags = np.nonzero(mask)[1].astype(np.int32)
        first = np.concatenate(([0], np.cumsum(mask.sum(axis=1)))).astype(np.int32)
        rows = self.features.rows[np.searchsorted(self.open, chosen)]
        entries = tokeniser.model.entries(np.ascontiguousarray(rows), first, tags)
        candidates = [tags[a:b].tolist() for a, b in pairwise(first.tolist())]
        before, after = [bounds[0], *(chosen + 1).tolist()], [*chosen.tolist(), bounds[1]]
        pieces = (self.gold[a:b] for a, b in zip(before, after, strict=True))
        between = [piece[piece > 0].tolist() for piece in pieces]
        weight = self.settings.sentence_weight
        gold = self.gold[chosen].tolist()
        return segment_example(name, candidates, gold, between, entries, weight)


def useful_templates(templates: Sequence[str], dense: bool) -> list[str]:
    """Removes templates about whitespace for languages without it, where they are redundant."""
    skipped = NEED_BLANKS if dense else set()
    return [text for text in templates if skipped.isdisjoint(text.split())]


def sets_dictionary() -> TagDictionary:
    """The sets of tags for the core."""
    first = np.cumsum([0, *map(len, SETS)]).astype(np.int32)
    tags = np.concatenate([np.array(tags, dtype=np.int32) for tags in SETS])
    return TagDictionary((), (), np.zeros(0, np.int32), first, tags)


def hashed(templates: CompiledTemplates, encoded: Encoded) -> Keys:
    """The keys of all features, [positions, templates]."""
    return templates.core.hash(encoded.attributes, encoded.classes, encoded.first_position)


def _joined(parts: Sequence[Encoded]) -> Encoded:
    lengths = [int(part.first_position[-1]) for part in parts]
    bases = np.cumsum([0, *lengths[:-1]])
    first = [part.first_position[1:] + base for part, base in zip(parts, bases, strict=True)]
    return Encoded(
        np.concatenate([part.attributes for part in parts]),
        np.concatenate([part.classes for part in parts]),
        np.concatenate((np.zeros(1), *first)).astype(np.int32),
    )


def train_tokeniser(
    trees: Sequence[DependencyTree],
    settings: TokeniserSettings,
    run: Run,
    dev: Sequence[DependencyTree] = (),
    name: str = "tok",
) -> Tokeniser:
    """Trains a tokeniser on raw text of the treebank; `dev` chooses the bias for sentence ends."""
    if not trees:
        raise TreewrightError("there are no sentences to train a tokeniser on")
    training = TokeniserTraining(trees, settings, run.seed)
    tokeniser = training.tokeniser(_weights(training, run, name))
    if dev:
        part = read_part(dev, CharacterTable())
        tokeniser.bias = best_bias(tokeniser, part, settings.sentence_biases)
        tokens, sentences = scores(tokeniser, part)
        both = {"tokens": tokens.f, "sentences": sentences.f}
        run.record(tokeniser=name, score=tokens.f, **both, sentence_bias=tokeniser.bias)
    return tokeniser


def best_bias(tokeniser: Tokeniser, part: Part, biases: Sequence[float]) -> float:
    """The bias with the best sum of token and sentence F1; of equals, the nearest to its own."""
    own = tokeniser.bias
    quality = {}
    for bias in sorted({own, *biases}, key=lambda bias: abs(bias - own)):
        tokeniser.bias = bias
        quality[bias] = sum(score.f for score in scores(tokeniser, part))
    tokeniser.bias = own
    return max(quality, key=quality.__getitem__)


def _weights(training: TokeniserTraining, run: Run, name: str) -> Floats:
    s = training.settings
    with run.progress(f"{name}-local", s.passes) as bar:

        def on_pass(number: int, value: float) -> None:
            run.record(optimise=f"{name}-local", iteration=number, objective=value)
            bar.advance(1, objective=value)

        local = training.local().fit(s.passes, s.rate, s.prior, s.dropout, run.seed, on_pass)
    if not s.second_stage:
        return local
    examples = training.examples(training.tokeniser(local))
    objective = run.objective_over(f"{name}-segments", s.objective, examples, len(local))
    change = run.optimise(f"{name}-segments", Shifted(objective, local), s.optimiser)
    return local + change


def scores(tokeniser: Tokeniser, part: Part) -> tuple[Score, Score]:
    """Precision, recall and F1 of tokens and sentences."""
    tags = tokeniser.tags(tokeniser.characters(part.raw.text))
    return _score(tags, part.gold, ENDS_TOKEN), _score(tags, part.gold, ENDS_SENTENCE)


def _score(pred: Indices, gold: Indices, ends: Bools) -> Score:
    produced, due = ends[pred], ends[gold]
    both = np.flatnonzero(produced & due)
    # A segment is correct if it starts correctly and nothing else ends in it.
    begins = np.concatenate(([-1], both[:-1]))
    wrong = np.concatenate(([0], np.cumsum(produced != due)))
    right = int((wrong[both] == wrong[begins + 1]).sum())
    return Score.of_totals(right, int(produced.sum()), int(due.sum()))
