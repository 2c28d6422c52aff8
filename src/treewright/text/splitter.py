"""Splits multiword tokens into words, with rules learnt from a treebank.

A known token is split as it was most often; an unknown one by its longest known suffix. A rule
removes an ending of the token and gives the ending of the first word instead, and the other words:

    Bush's -> 's: "", 's         du -> du: de, le        fazê-lo -> ê-lo: er, lo

What is left is split again if it has such an ending with a sign: I'd've, wouldn't've.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from treewright.grammar.words import VARIANTS

LONGEST = 8  # maximum characters of a suffix beyond the removed ending
WHOLE = "^"  # prefix of a suffix that is a whole token
Rule = tuple[int, str, tuple[str, ...]]  # number of removed characters, replacement, further words


@dataclass(frozen=True)
class Splitter:
    """Rules by lower-case suffix; whole tokens start with ^."""

    rules: Mapping[str, Rule]

    @cached_property
    def longest(self) -> int:
        return max(map(len, self.rules), default=0)

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants of signs that fewer rules have than the plain sign."""
        seen = Counter("".join(self.rules))
        return tuple(sorted(v for v, plain in VARIANTS.items() if seen[plain] > seen[v]))

    def split(self, form: str) -> tuple[str, ...]:
        """The words of a multiword token; empty if no rule matches."""
        rule = self._rule(form.lower())
        if rule is None or len(form.lower()) != len(form):
            return ()
        taken, put, others = rule
        rest = form[: len(form) - taken]
        words = (rest.lower() + put, *others)
        if not words[0]:
            return ()
        joined = "".join(words)
        if joined == form.lower():
            first, *more = pieces(form, words)
            return (*self._again(first), *more)
        return tuple(_cased(form, rest, words))

    def _again(self, word: str) -> tuple[str, ...]:
        """The first word of a token, split if it has an ending with an apostrophe or the like."""
        rule = self._rule(word.lower())
        if rule is None or rule[0] < 1 or rule[1] or word[-rule[0] :].isalnum():
            return (word,)
        return self.split(word) or (word,)

    def _rule(self, lower: str) -> Rule | None:
        rule = self.rules.get(WHOLE + lower)
        size = min(len(lower), self.longest)
        while rule is None and size:
            rule = self.rules.get(lower[-size:])
            size -= 1
        return rule

    def rows(self) -> str:
        """The rules as lines of text."""
        rules = sorted(self.rules.items())
        lines = ("\t".join((key, str(n), put, *words)) for key, (n, put, words) in rules)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def from_rows(cls, text: str) -> "Splitter":
        rows = (line.split("\t") for line in text.split("\n")[:-1])
        return cls({key: (int(n), put, tuple(words)) for key, n, put, *words in rows})


def pieces(form: str, words: Sequence[str]) -> Iterable[str]:
    """The token split into pieces with the lengths of the words."""
    at = 0
    for word in words:
        yield form[at : at + len(word)]
        at += len(word)


def _cased(form: str, rest: str, words: Sequence[str]) -> Iterable[str]:
    """Words in the token's case: all capitals, first letter capital, or unchanged."""
    if form.isupper() and len(form) > 1:
        yield from (word.upper() for word in words)
        return
    first = rest + words[0][len(rest) :]
    yield first[:1].upper() + first[1:] if form[:1].isupper() else first
    yield from words[1:]


def learn_splitter(tokens: Iterable[tuple[str, Sequence[str]]]) -> Splitter:
    """Learns rules from multiword tokens and their words."""
    counts: defaultdict[str, Counter[Rule]] = defaultdict(Counter)
    for form, words in tokens:
        lower = form.lower()
        rule = _rule_of(lower, [word.lower() for word in words])
        taken = rule[0]
        for size in range(max(taken, 1), min(len(lower), taken + LONGEST) + 1):
            counts[lower[-size:]][rule] += 1
        counts[WHOLE + lower][rule] += 1
    best = {key: min(rules, key=lambda r: (-rules[r], r)) for key, rules in counts.items()}
    return Splitter({key: rule for key, rule in best.items() if _needed(key, rule, best)})


def _rule_of(lower: str, words: Sequence[str]) -> Rule:
    same = (a == b for a, b in zip(lower, words[0], strict=False))
    kept = next((i for i, equal in enumerate(same) if not equal), min(len(lower), len(words[0])))
    return len(lower) - kept, words[0][kept:], tuple(words[1:])


def _needed(key: str, rule: Rule, best: Mapping[str, Rule]) -> bool:
    """Whether no shorter suffix has the same rule."""
    if key.startswith(WHOLE) and len(key) > 1:
        return best.get(key[1:]) != rule
    return best.get(key[1:]) != rule or len(key) - 1 < max(rule[0], 1)
