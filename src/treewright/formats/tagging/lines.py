"""Tagged sentences: one line of `word|POS|tag` tokens."""

from collections.abc import Iterable, Sequence


def tagged_line(
    words: Sequence[str], pos: Sequence[str] | None, tags: Iterable[Sequence[str]]
) -> str:
    """`word|tag ...`, or `word|POS|tag ...` with parts of speech; a word may have several tags."""
    columns = [[word] for word in words] if pos is None else map(list, zip(words, pos, strict=True))
    return " ".join("|".join([*row, *each]) for row, each in zip(columns, tags, strict=True))
