r"""Sentences of tokens as trees without heads, ready for a parser, and back to the text.

MISC has what is needed to restore the text to the last blank, with UDPipe's names: `SpaceAfter=No`
where no blank follows, `SpacesAfter=\s\n` where it is not one space, `SpacesBefore` at the very
beginning, `SpacesInToken` where a token has other blanks than single spaces; and
`TokenRange=start:end`, the token's place in the text, in characters from 0.
"""

import re
from collections.abc import Iterable

from treewright.data.dependency import TEXT, DependencyTree, MultiwordToken, Word
from treewright.text.raw import blanks_after, escaped, misc_value, unescaped
from treewright.text.tokeniser import SentenceSpan, Token

BLANKS = re.compile(r"\s+")
NEW_PARAGRAPH = "# newpar"


def tree_of(sentence: SentenceSpan) -> DependencyTree:
    """The words of a sentence; nothing but forms and places is known of them."""
    words: list[Word] = []
    ranges: list[MultiwordToken] = []
    for token in sentence.tokens:
        misc = token_misc(token, sentence.blanks if token is sentence.tokens[0] else "")
        form = BLANKS.sub(" ", token.text)
        if token.words:
            first = len(words) + 1
            ranges.append(MultiwordToken(first, first + len(token.words) - 1, form, "_", misc))
            words += (_word(each, "_") for each in token.words)
        else:
            words.append(_word(form, misc))
    comments = [NEW_PARAGRAPH] if sentence.opens else []
    return DependencyTree(tuple(words), (*comments, TEXT + sentence_text(sentence)), tuple(ranges))


def _word(form: str, misc: str) -> Word:
    return Word(form, "_", "_", "_", "_", 0, "_", "_", misc)


def sentence_text(sentence: SentenceSpan) -> str:
    """The sentence on one line."""
    pieces = (token.text + token.blanks for token in sentence.tokens)
    return BLANKS.sub(" ", "".join(pieces)).strip()


def token_misc(token: Token, before: str = "") -> str:
    """The MISC column of a token; `before` are blanks at the beginning of the text."""
    fields = [f"SpacesBefore={escaped(before)}"] if before else []
    if not token.blanks:
        fields.append("SpaceAfter=No")
    elif token.blanks != " ":
        fields.append(f"SpacesAfter={escaped(token.blanks)}")
    if BLANKS.sub(" ", token.text) != token.text:
        fields.append(f"SpacesInToken={escaped(token.text)}")
    fields.append(f"TokenRange={token.start}:{token.end}")
    return "|".join(fields)


def restored(trees: Iterable[DependencyTree]) -> str:
    """The text that trees were made of, blanks included."""
    return "".join(_restored(tree) for tree in trees)


def _restored(tree: DependencyTree) -> str:
    ranges = {token.first: token for token in tree.tokens}
    pieces: list[str] = []
    i = 0
    while i < len(tree.words):
        token = ranges.get(i + 1)
        form, misc = (token.form, token.misc) if token else (tree.words[i].form, tree.words[i].misc)
        i = token.last if token else i + 1
        inside = misc_value(misc, "SpacesInToken")
        pieces += (
            unescaped(misc_value(misc, "SpacesBefore") or ""),
            form if inside is None else unescaped(inside),
            blanks_after(misc),
        )
    return "".join(pieces)
