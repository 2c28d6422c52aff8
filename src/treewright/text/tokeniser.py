"""The tokeniser: text in, sentences of tokens with their places out.

    tokeniser.tokenise("She didn't. He did.")      sentences, each with its tokens
    sentence.tokens[1].text, .start, .words        didn't, 4, ("did", "n't")

Each character that is no blank gets a tag: the token goes on, or ends, or ends with the sentence;
and whether it stands for several words. A blank line ends a sentence, and no token ends within what
is read as one character (before an accent, inside a family of emoji) or within an address of the
web or of mail. The tag is the most probable one of a log-linear model
(`treewright.scores.tagging.positions`). Each is decided by itself; the recurrence over states that
training uses (`treewright.text.segments`) is not needed here.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewright.arrays import Indices, Integers
from treewright.errors import StoreError
from treewright.scores.tagging.encoder import Encoded, compile_templates
from treewright.scores.tagging.positions import PositionModel
from treewright.storage.bundle import Bundle
from treewright.text.addresses import address_masks
from treewright.text.characters import LETTER, Bools, Characters, CharacterTable, read_characters
from treewright.text.columns import COLUMNS, Columns
from treewright.text.lexicon import Lexicon
from treewright.text.segments import (
    ANY,
    AT_BLANK,
    ENDS_SENTENCE,
    ENDS_TOKEN,
    IS_MULTIWORD,
    MAX_BIAS,
    MULTIWORD_SENTENCE,
    NAMES,
    SENTENCE,
    WHOLE,
    WITHIN,
    WITHIN_AT_BLANK,
    tag_sets,
)
from treewright.text.signs import settle
from treewright.text.splitter import Splitter, pieces
from treewright.text.variants import plain_table

BETA = 1e-6  # of tags that matter on both sides of a sign, relative to the best
OFFSET = re.compile(r"\[(-?\d+)\]")


class Token(NamedTuple):
    """A token at text[start:end]; `words` are those of a multiword token, otherwise empty.

    `blanks` is the whitespace after it.
    """

    text: str
    start: int
    end: int
    words: tuple[str, ...] = ()
    blanks: str = ""


class SentenceSpan(NamedTuple):
    """The tokens of a sentence; `blanks` is the whitespace before the first token of a text.

    `opens`: whether the sentence is the first one of a paragraph. `name`: its id in a file.
    """

    tokens: tuple[Token, ...]
    opens: bool = False
    blanks: str = ""
    name: str = ""


def numbered(sentences: Iterable[SentenceSpan], before: str = "") -> Iterator[SentenceSpan]:
    """The sentences, named by their numbers from 1, which follow `before`."""
    for number, sentence in enumerate(sentences, start=1):
        yield sentence._replace(name=f"{before}{number}")


class Tokeniser:
    """A trained tokeniser; see the module's docstring.

    Args:
        templates: the model's feature templates as text.
        model: the log-linear model of tags.
        lexicon: known words.
        splitter: splits multiword tokens.
        blanks_inside: whether tokens can contain whitespace.
        bias: added to the score of the end of a sentence.
        paired: signs with token ends on both sides or neither; see `treewright.text.signs`.
        variants: signs that are read as plain ones; see `treewright.text.variants`.
    """

    def __init__(
        self,
        templates: Sequence[str],
        model: PositionModel,
        lexicon: Lexicon,
        splitter: Splitter,
        blanks_inside: bool,
        bias: float = 0.0,
        paired: Collection[str] = (),
        variants: Collection[str] = (),
    ) -> None:
        self.templates = tuple(templates)
        self.model, self.lexicon, self.splitter = model, lexicon, splitter
        self.blanks_inside, self.bias = blanks_inside, bias
        self.paired, self.variants = frozenset(paired), frozenset(variants)
        self._plain = plain_table(self.variants)
        self._table = CharacterTable()

    def characters(self, text: str, by_line: bool = False) -> Characters:
        """The text as the model reads it: with plain signs; each character keeps its place."""
        return read_characters(text.translate(self._plain), self._table, by_line)

    def tokenise(self, text: str, start: int = 0, by_line: bool = False) -> list[SentenceSpan]:
        """The sentences of a text; `start` is added to offsets.

        With `by_line`, each non-empty line is one sentence.
        """
        characters = self.characters(text, by_line)
        if not len(characters):
            return []
        tags = self.tags(characters, by_line)
        return list(self._sentences(text, characters, tags, start, by_line))

    def tags(self, characters: Characters, by_line: bool = False) -> Indices:
        """The best tag of each position: the most probable one after adding the bias."""
        columns = Columns(characters, self.lexicon)
        within, ending = address_masks(characters, names=not self.lexicon.dense)
        whole = columns.whole() | characters.joined | within
        sets = tag_sets(characters, whole, self.blanks_inside, by_line)
        sets[ending & (sets == (WITHIN if by_line else ANY))] = (
            WITHIN_AT_BLANK if by_line else AT_BLANK
        )
        encoded = encode(columns, self.model.templates.word_columns)
        posteriors = self.model.posteriors(encoded, sets, min(np.exp(-abs(self.bias)), BETA))
        if self.bias:
            probability = posteriors.probability * np.exp(self.bias * ENDS_SENTENCE[posteriors.tag])
            posteriors = replace(posteriors, probability=probability)
        best = posteriors.best()
        if self.paired:
            settle(best, posteriors, characters, self.paired)
        words = ENDS_SENTENCE[best] & (characters.facts.broad == LETTER)
        if self.splitter.rules and words.any():
            ends = np.flatnonzero(words)
            best[ends] = np.where(self._are_multiword(encoded, ends), MULTIWORD_SENTENCE, SENTENCE)
        return best

    @cached_property
    def _reach(self) -> int:
        """The distance to the farthest position that a template uses."""
        offsets = OFFSET.findall(" ".join(self.templates))
        return max((abs(int(each)) for each in offsets), default=0)

    def _are_multiword(self, encoded: Encoded, ends: Integers) -> Bools:
        """Whether the tokens that end at these positions are multiword tokens.

        The positions are tagged as if no sentence ended there, each in a window of its own: in
        treebanks, punctuation ends nearly all sentences, so little is learnt about `I can't` there.
        """
        first, columns = encoded.first_position, len(self.model.templates.word_columns)
        paragraph = np.searchsorted(first, ends, side="right")
        begin = np.maximum(ends - self._reach, first[paragraph - 1])
        until = np.minimum(ends + self._reach + 1, first[paragraph])
        starts = np.concatenate(([0], np.cumsum(until - begin)))
        place = np.arange(starts[-1]) + np.repeat(begin - starts[:-1], until - begin)
        attributes = encoded.attributes.reshape(-1, columns)[place].ravel()
        windows = Encoded(attributes, encoded.classes[place], starts.astype(np.int32))
        chosen = starts[:-1] + ends - begin
        sets = np.full(len(place), WHOLE, dtype=np.int32)
        sets[chosen] = WITHIN_AT_BLANK
        tags = self.model.posteriors(windows, sets).best()
        several: Bools = IS_MULTIWORD[tags[chosen]]
        return several

    def _sentences(
        self, text: str, characters: Characters, tags: Indices, start: int, by_line: bool
    ) -> Iterator[SentenceSpan]:
        offset = characters.offset
        ends = np.flatnonzero(ENDS_TOKEN[tags])
        begin = offset[np.concatenate(([0], ends[:-1] + 1))]
        until = np.append(begin[1:], len(text)).tolist()
        rows = zip(begin.tolist(), (offset[ends] + 1).tolist(), until, strict=True)
        several = IS_MULTIWORD[tags[ends]].tolist()
        tokens = [self._token(text, *row, m, start) for row, m in zip(rows, several, strict=True)]
        last = (np.flatnonzero(ENDS_SENTENCE[tags[ends]]) + 1).tolist()
        opening = set(np.searchsorted(ends, characters.first).tolist())
        a = 0
        for b in last:
            blanks = text[: int(begin[0])] if not a else ""
            yield SentenceSpan(tuple(tokens[a:b]), a in opening and not by_line, blanks)
            a = b

    def _token(self, text: str, a: int, b: int, until: int, several: bool, start: int) -> Token:
        form = text[a:b]
        words = self.split(form) if several else ()
        return Token(form, start + a, start + b, words, text[b:until])

    def split(self, form: str) -> tuple[str, ...]:
        """The words of a multiword token, with its own signs; empty if no rule matches."""
        plain = form.translate(self._plain)
        words = self.splitter.split(plain)
        return tuple(pieces(form, words)) if "".join(words) == plain else words


def encode(columns: Columns, names: Sequence[str]) -> Encoded:
    """The attributes of a text for the core; paragraphs take the place of sentences."""
    first = columns.characters.first.astype(np.int32)
    classes = np.zeros(len(columns.characters), dtype=np.uint32)
    return Encoded(columns.attributes(names).ravel(), classes, first)


KIND, SPLITS, LEXICON = "tok", "splits", "lexicon_"
WEIGHTS = ("set_first", "set_tag", "keys", "row_first", "row_tag", "weight")


def tokeniser_bundle(tokeniser: Tokeniser) -> Bundle:
    """The bundle of a tokeniser."""
    config: dict[str, object] = {
        "templates": list(tokeniser.templates),
        "blanks_inside": tokeniser.blanks_inside,
        "dense": tokeniser.lexicon.dense,
        "bias": tokeniser.bias,
        "paired": sorted(tokeniser.paired),
        "variants": sorted(tokeniser.variants),
    }
    lexicon = tokeniser.lexicon.arrays()
    arrays = {name: getattr(tokeniser.model, name) for name in WEIGHTS}
    arrays |= {LEXICON + name: array for name, array in lexicon.items()}
    return Bundle(KIND, config, arrays, {SPLITS: tokeniser.splitter.rows()})


def tokeniser_from_bundle(bundle: Bundle) -> Tokeniser:
    """The tokeniser in a bundle."""
    if bundle.kind != KIND:
        raise StoreError(f"expected a model of kind {KIND!r}, not {bundle.kind!r}")
    config, arrays = bundle.config, bundle.arrays
    templates = config["templates"]
    if not isinstance(templates, list):
        raise StoreError(f"expected a list of templates, not {templates!r}")
    texts = [str(text) for text in templates]
    weights = {name: arrays[name] for name in WEIGHTS}
    model = PositionModel(compile_templates(texts, ()), len(NAMES), **weights)
    if unknown := set(model.templates.word_columns) - COLUMNS.keys():
        raise StoreError(f"unknown column in templates: {min(unknown)!r:.80}")
    names = ("words", "cased", "case", "cut")
    lexicon = Lexicon(bool(config["dense"]), *(arrays[LEXICON + name] for name in names))
    splitter = Splitter.from_rows(bundle.texts[SPLITS])
    bias = float(str(config["bias"]))
    if not abs(bias) <= MAX_BIAS:
        raise StoreError(f"bias must be from -{MAX_BIAS} to {MAX_BIAS}, not {bias}")
    learnt = splitter, bool(config["blanks_inside"]), bias
    # Older models have no paired signs, and variants are as rare as in their rules.
    paired, variants = _signs(config, "paired", ()), _signs(config, "variants", splitter.variants)
    return Tokeniser(texts, model, lexicon, *learnt, paired, variants)


def _signs(config: Mapping[str, object], name: str, otherwise: Collection[str]) -> list[str]:
    """A list of signs, if a model has it."""
    signs = config.get(name, list(otherwise))
    if not isinstance(signs, list):
        raise StoreError(f"expected a list of signs, not {signs!r:.80}")
    return list(map(str, signs))
