"""Typographic variants of signs inside words: which a tokeniser reads as the plain signs.

Treebanks prefer one of the variants, so that little is learnt about the others. Where the plain one
prevails between letters, the tokeniser reads the others as if they were plain. Tokens keep their
text, and their offsets do not change.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from treewright.errors import StoreError
from treewright.grammar.words import VARIANTS

INSIDE = re.compile(f"(?<=[^\\W\\d_])[{''.join(VARIANTS)}'-](?=[^\\W\\d_])")
ENOUGH, PREVAILS = 10, 4  # minimum frequency of the plain sign, and relative to the variant


def learn_variants(texts: Iterable[str]) -> tuple[str, ...]:
    """The variants that are much rarer between letters than the plain sign."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(INSIDE.findall(text))
    rare = (v for v, p in VARIANTS.items() if seen[p] >= max(ENOUGH, PREVAILS * seen[v]))
    return tuple(sorted(rare))


def plain_table(variants: Collection[str]) -> dict[int, str]:
    """The table for `str.translate` that makes variants plain."""
    if unknown := set(variants) - VARIANTS.keys():
        raise StoreError(f"unknown variant of a sign: {min(unknown)!r:.80}")
    return {ord(variant): VARIANTS[variant] for variant in variants}
