"""The minibank: what it shows, that it is sound, that there is something to learn from it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.grammar import phenomena
from treewright.data.auto import format_derivation, parse_tree, read_auto
from treewright.data.parg import read_parg
from treewright.data.records import Derivation
from treewright.errors import TreewrightError
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_unary, is_type_raised
from treewright.grammar.heads import derive
from treewright.grammar.indices import dependencies_of
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import read_entry
from treewright.grammar.rules import underivable
from treewright.minibank import write
from treewright.minibank.sentences import MAX_WORDS, sample
from treewright.minibank.tables import load
from treewright.minibank.write import write_minibank

GOLDEN = Path(__file__).parents[1] / "golden" / "minibank.txt"
SENTENCES = 1200
PREPOSITION = re.compile(r"\(NP\\NP\)/NP|\(\(S\\NP\)\\\(S\\NP\)\)/NP")


@pytest.fixture(scope="module")
def bank() -> list[Derivation]:
    return list(sample(SENTENCES, seed=5))


def golden_blocks() -> Iterator[tuple[str, str, list[str]]]:
    """A phenomenon, a derivation that shows it, and its dependencies."""
    for block in GOLDEN.read_text().split("\n= ")[1:]:
        name, tree, *rows = block.strip().splitlines()
        yield name, tree, rows


@pytest.mark.parametrize(("name", "tree", "rows"), list(golden_blocks()))
def test_golden_sentences(name: str, tree: str, rows: list[str]) -> None:
    derivation = Derivation(name, parse_tree(tree))
    words = derivation.sentence.words
    found = dependencies_of(derivation)
    assert [f"{words[d.functor]} {d.slot} {words[d.argument]}" for d in found] == rows
    assert underivable(derivation, load().rules) == []
    assert name in phenomena.shown(derivation)


def test_every_phenomenon_has_a_golden_sentence() -> None:
    named = {name for name in phenomena.NAMES if not name.startswith("S[")}
    assert {name for name, _, _ in golden_blocks()} == named


def test_every_phenomenon_occurs(bank: list[Derivation]) -> None:
    counts = Counter(name for derivation in bank for name in phenomena.shown(derivation))
    assert [name for name in phenomena.NAMES if counts[name] < 2] == []


def test_the_tables_hang_together() -> None:
    tables = load()
    assert len(tables.verbs) > 50
    nouns, frames = tables.words["nouns"], tables.frames
    for verb in tables.verbs:
        taken = {kind for frame in verb.frames for kinds in frame.takes for kind in kinds}
        prepositions = {x.takes[-2][0] for x in verb.frames if x.name.endswith("pp")}
        assert taken - prepositions <= set(nouns)
        assert {*verb.subjects, *(kind for _, kind in verb.adjuncts)} <= set(nouns)
        assert {frame.name for frame in verb.frames} <= set(frames)
        assert len(verb.forms) == 5
    for section in "adjectives", "predicates":
        assert set(tables.words[section]) == set(nouns)


def test_the_seed_decides() -> None:
    first, again, other = ([*map(format_derivation, sample(40, s))] for s in (1, 1, 2))
    assert first == again
    assert first != other
    assert first[:20] == [*map(format_derivation, sample(20, 1))]


def test_every_node_is_made_by_a_rule(bank: list[Derivation]) -> None:
    assert [d.id for d in bank if underivable(d, load().rules)] == []


def test_indices_and_unification_agree(bank: list[Derivation]) -> None:
    for derivation in bank:
        entries = [read_entry(leaf.markup) for leaf in derivation.leaves]
        assert derive(derivation, entries, default_unary) == dependencies_of(derivation)


def test_a_lexicon_learns_type_raising(bank: list[Derivation]) -> None:
    learnt = Lexicon().learn(bank)
    for child, result in load().rules.unary:
        pair = parse(child), parse(result)
        if is_type_raised(*pair):
            assert learnt.unary(*pair) is default_unary(*pair)


def test_files_read_back(tmp_path: Path) -> None:
    write_minibank(tmp_path, 50, seed=3)
    for part, first, size in (("train", 0, 50), ("dev", 50, 5)):
        derivations = list(read_auto(tmp_path / f"{part}.auto"))
        expected = list(sample(55, seed=3))[first : first + size]
        assert [*map(format_derivation, derivations)] == [*map(format_derivation, expected)]
        for derivation, row in zip(derivations, read_parg(tmp_path / f"{part}.parg"), strict=True):
            assert row.id == derivation.id
            assert list(row.rows) == dependencies_of(derivation)


def test_lengths(bank: list[Derivation]) -> None:
    lengths = sorted(len(derivation.leaves) for derivation in bank)
    assert 8 <= sum(lengths) / SENTENCES <= 16
    assert 25 <= lengths[-1] <= MAX_WORDS


def test_sentences_are_distinct(bank: list[Derivation]) -> None:
    assert len({derivation.sentence.words for derivation in bank}) >= 0.98 * SENTENCES


def test_frequencies_fall_with_the_rank(bank: list[Derivation]) -> None:
    counts = Counter(word.lower() for d in bank for word in d.sentence.words)
    ranked = [count for _, count in counts.most_common()]
    assert len(ranked) > 300
    assert ranked[0] > 20 * ranked[100] > 0
    assert sum(ranked[:50]) > 0.4 * sum(ranked)


def test_words_are_ambiguous(bank: list[Derivation]) -> None:
    categories: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for derivation in bank:
        for leaf in derivation.leaves:
            categories[leaf.word.lower()][leaf.category] += 1
    tokens = sum(counts.total() for counts in categories.values())
    several = sum(counts.total() for counts in categories.values() if len(counts) > 1)
    commonest = sum(max(counts.values()) for counts in categories.values())
    assert several > 0.35 * tokens
    assert 0.75 < commonest / tokens < 0.93
    tags = {leaf.pos for d in bank for leaf in d.leaves if leaf.word.lower() == "that"}
    assert tags == {"DT", "IN", "WDT"}


def attachments(bank: list[Derivation]) -> Iterator[tuple[str, str, bool]]:
    """Preposition, noun and whether it hangs at a noun, of phrases of which both are possible."""
    for derivation in bank:
        words = {i: leaf.word.lower() for i, leaf in enumerate(derivation.leaves)}
        for row in dependencies_of(derivation):
            nominal = row.category.startswith("(NP")
            if PREPOSITION.fullmatch(row.category) and row.slot == (2 if nominal else 3):
                yield words[row.functor], words[row.argument], nominal


def test_prepositional_phrases_can_be_learnt(bank: list[Derivation]) -> None:
    by_preposition: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    by_noun: defaultdict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for preposition, noun, nominal in attachments(bank):
        by_preposition[preposition][nominal] += 1
        by_noun[preposition, noun][nominal] += 1
    assert min(by_preposition["with"].values()) > 10
    assert min(by_preposition["in"].values()) > 10
    total = sum(counts.total() for counts in by_noun.values())
    plain = sum(max(counts.values()) for counts in by_preposition.values()) / total
    lexical = sum(max(counts.values()) for counts in by_noun.values()) / total
    assert plain + 0.05 < lexical < 1


def test_an_article_suits_the_word_after_it(bank: list[Derivation]) -> None:
    for derivation in bank:
        for one, two in pairwise(word.lower() for word in derivation.sentence.words):
            vowel = two[0] in "aeiou" and two not in {"university", "uniform"}
            assert one not in {"a", "an"} or (one == "an") == vowel


@pytest.fixture(scope="module")
def hard() -> list[Derivation]:
    return list(sample(300, seed=5, hard=True))


def subjects_of_clauses(bank: list[Derivation]) -> Iterator[tuple[int, bool]]:
    """Of `the friend of the girl who ...`: the verbs that share their subject, and which it is."""
    for derivation in bank:
        pos = [leaf.pos for leaf in derivation.leaves]
        rows = dependencies_of(derivation)
        for who, leaf in enumerate(derivation.leaves):
            if leaf.word != "who" or not pos[who - 1].startswith("NN"):
                continue
            heads = {row.argument for row in rows if row.functor == who and row.slot == 1}
            (head,) = heads
            shared = [r for r in rows if r.slot == 1 and r.argument == head and r.functor > who]
            if "IN" in pos[max(who - 4, 0) : who] and (head < who - 1 or len(shared) < 3):
                yield len(shared), head < who - 1


def test_a_hard_treebank_is_sound(hard: list[Derivation]) -> None:
    assert [d.id for d in hard if underivable(d, load(hard=True).rules)] == []
    assert load().weights["modifier"]["relative_ambiguous"] == 0


def test_in_a_hard_treebank_the_rarer_attachment_costs_more(hard: list[Derivation]) -> None:
    found = list(subjects_of_clauses(hard))
    high = [verbs for verbs, is_high in found if is_high]
    low = [verbs for verbs, is_high in found if not is_high]
    assert 30 < len(high) < len(low)
    assert sum(high) / len(high) > 3 * sum(low) / len(low)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_names_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_open", lambda _: Path("/dev/full").open("w"))  # noqa: SIM115
    with pytest.raises(TreewrightError, match=r"bank: No space left on device"):
        write_minibank(tmp_path / "bank", 5, seed=1)
    assert not (tmp_path / "bank").exists()
