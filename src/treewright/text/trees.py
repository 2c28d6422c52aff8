r"""Sentences of tokens as trees without heads, as input for parsers, and back to text.

MISC has all that is needed to restore the text exactly, with UDPipe's names: `SpaceAfter=No` if no
space follows, `SpacesAfter=\s\n` if it is not a single space, `SpacesBefore` at the start of the
text, `SpacesInToken` if a token has whitespace other than single spaces; and
`TokenRange=start:end`, the token's offsets in the text, in characters from 0.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from treewright.data.dependency import SENTENCE_ID, TEXT, DependencyTree, MultiwordToken, Word
from treewright.data.lines import check_text
from treewright.data.records import Sentence
from treewright.data.surface import misc_value, surface_of, surface_tokens
from treewright.text.raw import blanks_after, escaped, unescaped
from treewright.text.tokeniser import SentenceSpan, Token, Tokeniser

BLANKS = re.compile(r"\s+")
NEW_PARAGRAPH = "# newpar"


def tree_of(sentence: SentenceSpan) -> DependencyTree:
    """The words of a sentence, with only forms and positions."""
    words: list[Word] = []
    ranges: list[MultiwordToken] = []
    for token in sentence.tokens:
        form = token.text if token.text.isalnum() else BLANKS.sub(" ", token.text)
        misc = _misc(token, form, sentence.blanks if token is sentence.tokens[0] else "")
        if token.words:
            first = len(words) + 1
            ranges.append(MultiwordToken(first, first + len(token.words) - 1, form, "_", misc))
            words += (_word(each, "_") for each in token.words)
        else:
            words.append(_word(form, misc))
    comments = [NEW_PARAGRAPH] if sentence.opens else []
    if sentence.name:
        comments.append(SENTENCE_ID + sentence.name)
    if words:
        comments.append(TEXT + sentence_text(sentence))
    return DependencyTree(tuple(words), tuple(comments), tuple(ranges))


def cut_at_blanks(text: str) -> SentenceSpan:
    """A sentence whose tokens are separated by whitespace."""
    found = list(re.finditer(r"\S+", text))
    starts = [*(match.start() for match in found), len(text)]
    rows = zip(found, starts[1:], strict=True)
    tokens = (Token(m.group(), m.start(), m.end(), (), text[m.end() : end]) for m, end in rows)
    return SentenceSpan(tuple(tokens), blanks=text[: starts[0]])


def one_sentence(tokeniser: Tokeniser | None, text: str) -> SentenceSpan:
    """The tokens of a text of one sentence; without a tokeniser it is split at whitespace."""
    check_text(text)
    if tokeniser is None:
        return cut_at_blanks(text)
    sentences = tokeniser.tokenise(re.sub(r"\s", " ", text), by_line=True)
    return sentences[0] if sentences else SentenceSpan(())


def sentence_of(span: SentenceSpan) -> Sentence:
    """The words of a sentence and their positions, for parsers that do not use trees."""
    tree = tree_of(span)
    return replace(Sentence.of(tree.forms, name=span.name or "1"), surface=surface_of(tree))


def _word(form: str, misc: str) -> Word:
    return Word(form, "_", "_", "_", "_", 0, "_", "_", misc)


def sentence_text(sentence: SentenceSpan) -> str:
    """The sentence on one line."""
    pieces = (BLANKS.sub(" ", token.text) + " " * bool(token.blanks) for token in sentence.tokens)
    return "".join(pieces).strip()


def _misc(token: Token, form: str, before: str) -> str:
    """The MISC column of a token; `before` is the whitespace at the start of the text."""
    place = f"TokenRange={token.start}:{token.end}"
    if token.blanks == " " and form == token.text and not before:
        return place
    fields = [f"SpacesBefore={escaped(before)}"] if before else []
    if not token.blanks:
        fields.append("SpaceAfter=No")
    elif token.blanks != " ":
        fields.append(f"SpacesAfter={escaped(token.blanks)}")
    if form != token.text:
        fields.append(f"SpacesInToken={escaped(token.text)}")
    return "|".join((*fields, place))


def restored(trees: Iterable[DependencyTree]) -> str:
    """The text from which trees were made, including whitespace."""
    return "".join(_restored(tree) for tree in trees)


def _restored(tree: DependencyTree) -> str:
    pieces: list[str] = []
    for form, _, _, misc in surface_tokens(tree):
        inside = misc_value(misc, "SpacesInToken")
        pieces += (
            unescaped(misc_value(misc, "SpacesBefore") or ""),
            form if inside is None else unescaped(inside),
            blanks_after(misc),
        )
    return "".join(pieces)
