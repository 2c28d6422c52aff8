"""What a tag is to the shape of a span: conjunction, comma, bracket, verb, colon, or nothing."""

SORTS = ("other", "conjunction", "comma", "open", "close", "verb", "colon")
_OF_TAG = {"CC": 1, ",": 2, "-LRB-": 3, "(": 3, "``": 3, "-RRB-": 4, ")": 4, "''": 4, ":": 6}
_VERBS = frozenset({"VB", "VBD", "VBP", "VBZ", "MD", "VBN", "VBG", "TO"})


def sort_of_tag(tag: str) -> int:
    """The place of the tag's sort in SORTS."""
    return _OF_TAG.get(tag, 5 if tag in _VERBS else 0)
