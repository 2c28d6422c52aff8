"""The text of CoNLL-U sentences and the positions of their words, in the MISC column.

`TokenRange=start:end` is a token's position; `SpaceAfter=No` means that no space follows it.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from treewright.data.dependency import TEXT, DependencyTree, MultiwordToken, Word
from treewright.data.records import Multiword, Surface

Offsets = Sequence[tuple[int, int]]


def misc_value(misc: str, name: str) -> str | None:
    """The value of a field of the MISC column."""
    start = f"{name}="
    if start not in misc:
        return None
    fields = (field.removeprefix(start) for field in misc.split("|") if field.startswith(start))
    return next(fields, None)


def surface_of(tree: DependencyTree) -> Surface:
    """The text of a sentence and its words' positions, if known."""
    offsets: list[tuple[int, int]] = []
    spaces: list[bool] = []
    multiword: list[Multiword] = []
    forms = tree.forms
    for form, first, last, misc in surface_tokens(tree):
        place = _token_range(misc)
        if place is not None:
            offsets += word_offsets(form, forms[first:last], place)
            if last - first > 1:
                multiword.append(Multiword(form, *place, first, last - 1))
        spaces += [*(False,) * (last - first - 1), misc_value(misc, "SpaceAfter") != "No"]
    text = tree.text or _joined(tree, spaces)
    known = tuple(offsets) if len(offsets) == len(tree) else ()
    return Surface(text, known, tuple(spaces), tuple(multiword))


def with_surface(tree: DependencyTree, surface: Surface) -> DependencyTree:
    """The sentence with its text, multiword tokens and positions, as read by `surface_of`."""
    spaces = surface.spaces or (True,) * len(tree)
    places: Sequence[tuple[int, int] | None] = surface.offsets or (None,) * len(tree)
    misc = list(map(_place, spaces, places))
    tokens: list[MultiwordToken] = []
    for form, start, end, first, last in surface.multiword:
        whole = _place(spaces[last], (start, end))
        tokens.append(MultiwordToken(first + 1, last + 1, form, "_", whole))
        misc[first : last + 1] = [""] * (last + 1 - first)
    words = (_with_misc(word, added) for word, added in zip(tree.words, misc, strict=True))
    comments = (*tree.comments, TEXT + surface.text)
    return DependencyTree(tuple(words), comments, tuple(tokens), tree.empty_nodes)


def _place(space: bool, place: tuple[int, int] | None) -> str:
    fields = [] if space else ["SpaceAfter=No"]
    if place is not None:
        fields.append(f"TokenRange={place[0]}:{place[1]}")
    return "|".join(fields)


def _with_misc(word: Word, added: str) -> Word:
    known = "" if word.misc == "_" else word.misc
    return word._replace(misc="|".join(filter(None, (known, added))) or "_")


def surface_tokens(tree: DependencyTree) -> Iterator[tuple[str, int, int, str]]:
    """The tokens of the text: form, first word and the one after the last, from 0, and MISC."""
    ranges = {token.first: token for token in tree.tokens}
    i = 0
    while i < len(tree.words):
        if token := ranges.get(i + 1):
            yield token.form, i, token.last, token.misc
            i = token.last
        else:
            yield tree.words[i].form, i, i + 1, tree.words[i].misc
            i += 1


def word_offsets(form: str, words: Sequence[str], place: tuple[int, int]) -> Offsets:
    """The offsets of a token's words: their substrings of it, or all of it if there are none."""
    if len(words) < 2 or "".join(words) != form or place[1] - place[0] != len(form):
        return [place] * len(words)
    return list(pairwise(accumulate(map(len, words), initial=place[0])))


def _token_range(misc: str) -> tuple[int, int] | None:
    start, _, end = (misc_value(misc, "TokenRange") or "").partition(":")
    return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None


def _joined(tree: DependencyTree, spaces: Sequence[bool]) -> str:
    tokens = surface_tokens(tree)
    return "".join(form + " " * spaces[last - 1] for form, _, last, _ in tokens).strip()
