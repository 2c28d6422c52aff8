"""Feature templates of constituency charts, and sets of them.

    span: word@begin pos@end[1]       the first word of a span and the tag after it
    span: pos@inside                  all tags of a span of up to five words
    rule: rule pos@split[-1] pos@split      a binary rule with the tags on both sides of its split

Templates of spans go with the label of the span; labels and unary rules have a feature of their own
besides. `begin` and `end` are the first and the last word of a span, `split` is the first word of
the right child. Values: `rule`, the labels of parent and children; `parent`; `length`,
`left_length` and `right_length` in bins; `content`, the conjunctions, commas, colons, verbs and
lone brackets in the span; `long`, without which a template with it does not hold: spans of more
than five words have it.
"""

from collections.abc import Sequence

from treewright import _core
from treewright.arrays import Indices, Keys
from treewright.errors import ConfigError
from treewright.grammar.words import Vocabulary, sorts, word_class
from treewright.scores.features.encoder import Encoder
from treewright.scores.features.templates import (
    Atom,
    Group,
    Language,
    Template,
    compile_groups,
    listed,
)

# In the order of SpanPlace and SpanValue in cpp/constituency/keys.hpp.
PLACES = ("begin", "end", "split", "inside")
VALUES = ("rule", "parent", "length", "left_length", "right_length", "content", "long")
LANGUAGE = Language(PLACES, VALUES, ("span", "rule"))
AT_BEGIN, AT_END, OF_SPAN, OF_SPLIT, MARKS = range(5)

# Both ends of a span, after Hall, Durrett and Klein (2014) and Finkel et al. (2008).
_BEGIN = """
pos@begin, pos@begin[-1], word@begin, word@begin[-1], pos@begin[-1] pos@begin,
pos@begin pos@begin[1], word@begin[-1] pos@begin, pos@begin[-1] word@begin,
word@begin[-1] word@begin, pos@begin[-2] pos@begin[-1], pos@begin[-1] pos@begin pos@begin[1],
pos@begin pos@begin[1] pos@begin[2], word@begin pos@begin[1], word@begin word@begin[1],
class@begin, class@begin[-1]
"""
_END = """
pos@end, pos@end[1], word@end, word@end[1], pos@end pos@end[1], pos@end[-1] pos@end,
word@end pos@end[1], pos@end word@end[1], word@end word@end[1], pos@end[1] pos@end[2],
pos@end[-1] pos@end pos@end[1], pos@end[-2] pos@end[-1] pos@end, pos@end[-1] word@end,
word@end[-1] word@end, class@end, class@end[1]
"""
_BOTH = """
length, pos@begin pos@end, pos@begin[-1] pos@end[1], pos@begin pos@end length,
pos@begin[-1] pos@begin pos@end pos@end[1], word@begin word@end, word@begin[-1] word@end[1],
pos@begin length, pos@end length, word@begin pos@end[1], word@begin[-1] pos@end[1], pos@inside,
long pos@begin[-1] pos@begin pos@end, content, content pos@begin length
"""
# A binary rule and its split.
_SPLIT = """
rule, rule left_length right_length, rule pos@split[-1] pos@split, rule word@split[-1],
rule word@split, parent word@split[-1] word@split, parent pos@split[-1] pos@split,
rule word@begin pos@split, parent word@begin word@split, rule word@end,
rule pos@begin pos@split pos@end, parent word@split word@end, rule word@begin,
rule pos@split[-1] word@split, rule word@split[-1] pos@split, rule pos@begin[-1] pos@end[1],
parent word@begin[-1] word@split, rule pos@begin[-1] pos@split
"""
SPANS = [f"span: {line}" for text in (_BEGIN, _END, _BOTH) for line in listed(text)]
RULES = [f"rule: {line}" for line in listed(_SPLIT)]
SETS = {"full": [*SPANS, *RULES], "spans": [*SPANS, "rule: rule"]}


def parse_templates(templates: Sequence[str]) -> list[Template]:
    """Parses templates; each is for spans or for rules."""
    parsed = [LANGUAGE.parse(text) for text in templates]
    for each in parsed:
        if len(each.marks) != 1:
            raise ConfigError(f"feature template {each.text!r}: begins with span: or rule:")
        if each.marks == ("span",) and any(_needs_rule(atom) for atom in each.atoms):
            raise ConfigError(f"feature template {each.text!r}: a span has no rule and no split")
    return parsed


def _needs_rule(atom: Atom) -> bool:
    return atom.place == "split" or atom.attribute in {
        *("rule", "parent", "left_length", "right_length")
    }


def compile_span_templates(
    templates: Sequence[Template], columns: Sequence[str]
) -> _core.Templates:
    """Compiles templates for the core.

    Those at only one end of a span are computed once per end.
    """
    groups: dict[int, list[tuple[int, tuple[Atom, ...]]]] = {}
    for number, template in enumerate(templates):
        groups.setdefault(_mark(template), []).append((number, template.atoms))
    made = [Group(mark, numbered) for mark, numbered in sorted(groups.items())]
    return compile_groups(LANGUAGE, made, columns, MARKS)


def _mark(template: Template) -> int:
    if template.marks == ("rule",):
        return OF_SPLIT
    places = {"" if atom.attribute in VALUES else atom.place for atom in template.atoms}
    if len(places) > 1:
        return OF_SPAN
    return {"begin": AT_BEGIN, "end": AT_END}.get(places.pop(), OF_SPAN)


Tokens = _core.Tokens  # a sentence as numbers
Arrays = tuple[Keys, Indices]


class SpanEncoder:
    """Encodes words and tags for feature extraction; rare words are replaced by word classes.

    Args:
        vocabulary: the words with a value of their own.
        texts: templates, see `treewright.scores.constituency.templates`.
    """

    def __init__(self, vocabulary: Vocabulary, texts: Sequence[str] = SETS["full"]) -> None:
        self.vocabulary, self.texts = vocabulary, tuple(texts)
        parsed = parse_templates(texts)
        names = LANGUAGE.attributes(parsed)
        self._words = Encoder(names, ("word", "pos"), {"word": self._known})
        self.templates = compile_span_templates(parsed, self._words.names)

    def _known(self, word: str) -> str:
        return word if word in self.vocabulary else "\0" + word_class(word)

    def arrays(self, words: Sequence[str], tags: Sequence[str]) -> Arrays:
        """Attributes [words, columns], and the class of each tag in span shapes [words]."""
        return self._words.rows(words, tags), sorts(tags)

    def tokens(self, words: Sequence[str], tags: Sequence[str]) -> Tokens:
        """A sentence encoded for the core."""
        return core_tokens(self.arrays(words, tags))


def core_tokens(arrays: Arrays) -> Tokens:
    """The core's form of encoded words."""
    table, kinds = arrays
    return Tokens(table.ravel(), table.shape[1], kinds)
