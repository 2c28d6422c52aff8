"""Tagged sentences: one line of `word|POS|tag` tokens, or a JSON object."""

from collections.abc import Iterable, Sequence


def tagged_line(
    words: Sequence[str], pos: Sequence[str] | None, tags: Iterable[Sequence[str]]
) -> str:
    """`word|tag ...`, or `word|POS|tag ...` with parts of speech; a word may have several tags."""
    columns = [[word] for word in words] if pos is None else map(list, zip(words, pos, strict=True))
    return " ".join("|".join([*row, *each]) for row, each in zip(columns, tags, strict=True))


def tagging_object(name: str, words: Sequence[str], pos: Sequence[str] | None) -> dict[str, object]:
    """A sentence without its tags: id, words, and the parts of speech that a supertagger saw."""
    values: dict[str, object] = {"id": name, "words": words}
    return values if pos is None else {**values, "pos": pos}
