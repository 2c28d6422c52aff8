"""The edit scripts that are possible for words with an ending, learnt from a treebank.

A network scores edit scripts (`treewright.text.lemmas`) without knowing their results: *nominat*
and *citie* look likely to it. Known words take the scripts that they have in the treebank, others
those of words with the same POS tag and the longest known ending. A script that only one of these
words has says nothing of others: *M* is *million*, but *MB* is not *MBillion*.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from treewright.errors import StoreError
from treewright.grammar.words import plain
from treewright.text.lemmas import LITERAL

LONGEST = 5  # maximum letters of an ending
FORMS = 3  # minimum frequency of a known ending
SHARED = 2  # minimum number of words with an ending that have a script
WHOLE = "^"  # prefix of whole words

Key = tuple[str, str]  # POS tag, ending
Numbers = tuple[int, ...]


class Endings:
    """The numbers of scripts by POS tag and ending, or whole word."""

    def __init__(self, scripts: Mapping[Key, Numbers]) -> None:
        self._scripts = dict(scripts)

    @classmethod
    def learn(cls, words: Iterable[tuple[str, str, int]], scripts: Sequence[str]) -> "Endings":
        """Learns from forms, POS tags and script numbers; -1: no script.

        Scripts that only differ in case are treated alike.
        """
        alike: defaultdict[str, list[int]] = defaultdict(list)
        for number, script in enumerate(scripts):
            alike[_edit(script)].append(number)
        seen: defaultdict[Key, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for form, upos, number in words:
            if number >= 0:
                edit, lower = _edit(scripts[number]), plain(form).lower()
                seen[upos, WHOLE + lower][edit].add(lower)
                for ending in () if edit.startswith(LITERAL) else _endings(lower):
                    seen[upos, ending][edit].add(lower)
        found = cls({})
        # From short to long: entries equal to those of a shorter ending are left out.
        for key in sorted(seen, key=lambda key: (key[1].startswith(WHOLE), len(key[1]), key)):
            whole = key[1].startswith(WHOLE)
            words_of = seen[key]
            edits = [edit for edit, forms in words_of.items() if whole or len(forms) >= SHARED]
            numbers = tuple(sorted(n for edit in edits for n in alike[edit]))
            known = whole or (edits and len(set().union(*words_of.values())) >= FORMS)
            if known and numbers != found.scripts(key[1].removeprefix(WHOLE), key[0]):
                found._scripts[key] = numbers
        return found

    def scripts(self, form: str, upos: str) -> Numbers:
        """The numbers of the possible scripts of a word; empty if nothing is known."""
        lower = plain(form).lower()
        for ending in (WHOLE + lower, *_endings(lower)):
            if found := self._scripts.get((upos, ending)):
                return found
        return ()

    def text(self) -> str:
        """One line per ending: the POS tag, the ending, the numbers of its scripts."""
        rows = sorted(self._scripts.items())
        return "".join(f"{u}\t{e}\t{' '.join(map(str, numbers))}\n" for (u, e), numbers in rows)

    @classmethod
    def parse(cls, text: str, scripts: int) -> "Endings":
        """Parses the output of `text`, for this number of scripts."""
        found: dict[Key, Numbers] = {}
        for line in text.split("\n")[:-1]:
            upos, _, rest = line.partition("\t")
            ending, _, listed = rest.rpartition("\t")
            try:
                found[upos, ending] = tuple(map(int, listed.split(" ")))
            except ValueError as error:
                raise StoreError(f"endings of lemmas: a damaged line {line[:60]!r}") from error
        if any(not 0 <= n < scripts for numbers in found.values() for n in numbers):
            raise StoreError("endings of lemmas: a script that the network does not have")
        return cls(found)


def _edit(script: str) -> str:
    """A script without its case; literal lemmas are unchanged."""
    case, _, edit = script.partition("\t")
    return script if case == LITERAL else edit


def _endings(lower: str) -> Iterable[str]:
    """The endings of a word, longest first; the last one is empty."""
    return (lower[len(lower) - size :] for size in range(min(LONGEST, len(lower)), -1, -1))
