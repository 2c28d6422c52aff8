"""A small tokeniser: what it learns, what it gives back, and what it makes of odd input."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treewright.data.dependency import DependencyTree, MultiwordToken, Word
from treewright.errors import StoreError
from treewright.storage.bundle import read_bundle, write_bundle
from treewright.text.characters import CharacterTable
from treewright.text.raw import assemble
from treewright.text.segments import ENDS_SENTENCE
from treewright.text.settings import GROUPS, TEMPLATES, TokeniserSettings
from treewright.text.tokeniser import (
    SentenceSpan,
    Tokeniser,
    tokeniser_bundle,
    tokeniser_from_bundle,
)
from treewright.text.training import read_part, scores, train_tokeniser
from treewright.text.trees import restored, tree_of
from treewright.train.run import Run

SUBJECTS = ["She", "The fox", "Mr. Smith", "A dog", "He"]
VERBS = ["sees", "didn't see", "won't see", "likes", "doesn't like"]
OBJECTS = ["the dog's tail", "1,000 cats", "foo@bar.org", "the U.S. flag", "it", "them all"]
MULTIWORD = {"didn't": 3, "won't": 2, "doesn't": 4, "dog's": 3}


def tree(text: str) -> DependencyTree:
    """A sentence whose tokens are those of chunks, with final stops and commas apart."""
    words: list[Word] = []
    ranges = []
    for chunk in text.split():
        end = len(chunk) - (chunk[-1] in ".!?" and chunk not in ("Mr.", "U.S."))
        for piece, rest in ((chunk[:end], chunk[end:]), (chunk[end:], "")):
            if not piece:
                continue
            misc = "SpaceAfter=No" if rest else "_"
            cut = MULTIWORD.get(piece)
            if cut:
                ranges.append(MultiwordToken(len(words) + 1, len(words) + 2, piece, "_", misc))
                words += (_word(piece[:cut], "_"), _word(piece[cut:], "_"))
            else:
                words.append(_word(piece, misc))
    return DependencyTree(tuple(words), (), tuple(ranges))


def _word(form: str, misc: str) -> Word:
    return Word(form, "_", "X", "_", "_", 0, "dep", "_", misc)


def sentence(random: Random) -> str:
    words = (random.choice(each) for each in (SUBJECTS, VERBS, OBJECTS))
    return " ".join(words) + random.choice(".!?.")


def trees(number: int, seed: int) -> list[DependencyTree]:
    random = Random(seed)
    return [tree(sentence(random)) for _ in range(number)]


@pytest.fixture(scope="module")
def tokeniser(tmp_path_factory: pytest.TempPathFactory) -> Tokeniser:
    run = Run(tmp_path_factory.mktemp("run"), 1, quiet=True)
    return train_tokeniser(trees(200, 1), TokeniserSettings(), run)


def forms(found: list[SentenceSpan]) -> list[list[str]]:
    return [list(tree_of(each).forms) for each in found]


@pytest.mark.parametrize("sign", ["\u2019", "\u02bc", "\uff07"])
def test_it_reads_typographic_apostrophes_as_plain_ones(tokeniser: Tokeniser, sign: str) -> None:
    text = "She didn't see the dog's tail. He likes it."
    given = text.replace("'", sign)
    found = tokeniser.tokenise(given)
    plain = [[each.replace("'", sign) for each in row] for row in forms(tokeniser.tokenise(text))]
    assert forms(found) == plain
    assert found[0].tokens[1].words == ("did", f"n{sign}t")
    assert restored(map(tree_of, found)) == given


def test_a_soft_hyphen_is_part_of_its_word(tokeniser: Tokeniser) -> None:
    [found] = forms(tokeniser.tokenise("She likes c\u00adats."))
    assert found == ["She", "likes", "c\u00adats", "."]


def test_the_text_of_a_sentence_has_a_space_where_a_byte_order_mark_was(
    tokeniser: Tokeniser,
) -> None:
    [found] = tokeniser.tokenise("She likes\ufeffit.")
    assert tree_of(found).comments[-1] == "# text = She likes it."


def test_it_learns_what_the_treebank_shows(tokeniser: Tokeniser) -> None:
    part = read_part(trees(100, 2), CharacterTable())
    tokens, sentences = scores(tokeniser, part)
    assert tokens.f > 0.99
    assert sentences.f > 0.95


def test_the_bias_for_ends_works_both_ways(tokeniser: Tokeniser) -> None:
    part = read_part(trees(100, 2), CharacterTable())
    own, ends = tokeniser.bias, []
    for bias in (-20.0, own, 20.0):
        tokeniser.bias = bias
        ends.append(int(ENDS_SENTENCE[tokeniser.tags(part.characters)].sum()))
    tokeniser.bias = own
    assert ends[0] < ends[1] < ends[2]


def test_the_bias_for_ends_is_the_best_on_dev(tmp_path: Path) -> None:
    options = TokeniserSettings(sentence_bias=20.0, sentence_biases=[-20.0, 0.5, 20.0])
    few, dev = trees(60, 1), trees(100, 2)
    assert train_tokeniser(few, options, Run(tmp_path / "a", 1, quiet=True)).bias == 20
    assert train_tokeniser(few, options, Run(tmp_path / "b", 1, quiet=True), dev).bias == 0.5


def test_words_of_multiword_tokens_and_their_places(tokeniser: Tokeniser) -> None:
    text = "The fox didn't see the dog's tail. He likes it!"
    found = tokeniser.tokenise(text)
    assert forms(found) == [
        ["The", "fox", "did", "n't", "see", "the", "dog", "'s", "tail", "."],
        ["He", "likes", "it", "!"],
    ]
    for token in (token for each in found for token in each.tokens):
        assert text[token.start : token.end] == token.text
    row = tree_of(found[0])
    assert row.tokens[0] == MultiwordToken(3, 4, "didn't", "_", "TokenRange=8:14")
    assert row.words[-1].misc == "TokenRange=33:34"
    assert row.text == "The fox didn't see the dog's tail."


def test_multiword_tokens_may_end_a_text(tokeniser: Tokeniser) -> None:
    """In the treebank, none ends a sentence."""
    for text in ("She won't", "Mr. Smith sees it. The fox didn't", "He doesn't\n\nShe sees it."):
        words = [token.words for each in tokeniser.tokenise(text) for token in each.tokens]
        assert sum(map(bool, words)) == 1, text
    for text in ("She sees them all", "She sees it\n\nHe likes it"):
        assert not any(token.words for each in tokeniser.tokenise(text) for token in each.tokens)
    (line,) = tokeniser.tokenise("The fox didn't", by_line=True)
    assert line.tokens[-1].words == ("did", "n't")


def test_a_blank_line_ends_a_sentence_and_begins_a_paragraph(tokeniser: Tokeniser) -> None:
    found = tokeniser.tokenise("She likes\n\nthe dog")
    assert forms(found) == [["She", "likes"], ["the", "dog"]]
    assert [each.opens for each in found] == [True, True]
    assert tree_of(found[0]).comments[0] == "# newpar"


@pytest.mark.parametrize("spaced", [True, False])
def test_sentences_are_found_within_paragraphs_if_each_was_one(
    tmp_path: Path, spaced: bool
) -> None:
    random = Random(1)
    letters = "abcdefgh" if spaced else "犬猫鳥魚本人山川"

    def alone() -> DependencyTree:
        words = [random.choice(letters) * 2 for _ in range(random.randint(2, 5))]
        rows = [_word(word, "_" if spaced else "SpaceAfter=No") for word in words[:-1]]
        end = _word(words[-1], "SpaceAfter=No"), _word("." if spaced else "。", "_")
        return DependencyTree((*rows, *end), ("# newdoc",))

    run = Run(tmp_path, 1, quiet=True)
    tokeniser = train_tokeniser([alone() for _ in range(100)], TokeniserSettings(), run)
    text = "aa bb cc. dd ee. ff gg." if spaced else "犬犬鳥鳥。猫猫本本。山山川川。"
    assert [each.tokens[-1].text for each in tokeniser.tokenise(text)] == [
        "." if spaced else "。"
    ] * 3


BLANK_LINES = ["\\n\\n", "\\r\\n\\s\\r\\n", "\\s\\n\\t\\n\\n\\s", "\u2029", "\u2028\u2028"]


@pytest.mark.parametrize("blanks", BLANK_LINES)
def test_a_blank_line_in_a_sentence_of_the_treebank_is_a_line_end(
    blanks: str, tmp_path: Path
) -> None:
    one = tree("He slept well.")
    misc = f"SpacesAfter={blanks}"
    words = tuple(w._replace(misc=misc if w.form in ("He", ".") else "_") for w in one.words)
    treebank = [replace(one, words=words)] * 6
    text = assemble(treebank).text
    assert text.startswith("He\nslept well .")
    run = Run(tmp_path / "run", threads=1, quiet=True)
    tokeniser = train_tokeniser(treebank, TokeniserSettings(passes=2), run)
    assert forms(tokeniser.tokenise(text))[0] == ["He", "slept", "well", "."]


def test_a_paragraph_end_in_a_word_is_a_line_end() -> None:
    one = tree("He slept.")
    odd = replace(one, words=(one.words[0]._replace(form="H\u2029e"), *one.words[1:]))
    assert assemble([odd]).text == "H\ne slept. "


def test_by_line_sentences_are_lines(tokeniser: Tokeniser) -> None:
    found = tokeniser.tokenise("She likes it. He sees it.\n\nHe\nsees", by_line=True)
    assert forms(found) == [
        ["She", "likes", "it", ".", "He", "sees", "it", "."],
        ["He"],
        ["sees"],
    ]


ODD = [
    "",
    " \n\t ",
    "\ufeffShe likes it.",
    "She likes it.\r\n\r\nHe likes\rit.\n",
    "She\u00a0likes \u3000 it .  ",
    "a\0b \ud800 c",
    "https://a.b/c?d=e#f me@example.org 😀👍🏽 :-) \u202b\u0634\u0627\u0644\u202c",
    "|\\|\t\\s|",
    "ﬁnal İstanbul straße\u2019s",
]


@pytest.mark.parametrize("text", ODD)
def test_nothing_of_odd_text_is_lost(tokeniser: Tokeniser, text: str) -> None:
    check(tokeniser, text)


@settings(deadline=None, max_examples=50)
@given(st.text(st.sampled_from("ab. '\n\r\t|\\İ\u00a0\ufeff\ud800é1,\u2019-")))
def test_nothing_of_any_text_is_lost(tokeniser: Tokeniser, text: str) -> None:
    check(tokeniser, text)


def check(tokeniser: Tokeniser, text: str) -> None:
    found = tokeniser.tokenise(text, start=5)
    assert restored(map(tree_of, found)) == (text if found else "")
    if not found:
        assert not text.replace("\ufeff", "").strip()
    for token in (token for each in found for token in each.tokens):
        assert token.text == text[token.start - 5 : token.end - 5]


def test_no_token_ends_within_a_character(tmp_path: Path) -> None:
    signs = [chr(point) for point in range(0x1F600, 0x1F620)]
    eager = DependencyTree(tuple(_word(sign, "SpaceAfter=No") for sign in signs))
    run = Run(tmp_path, 1, quiet=True)
    tokeniser = train_tokeniser([eager] * 20, TokeniserSettings(), run)
    characters = [
        "\U0001f602",
        "e\u0301",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\U0001f44d\U0001f3fd",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f1e9\U0001f1ea",
        "\U0001f1eb\U0001f1f7",
    ]
    found = [t.text for each in tokeniser.tokenise("".join(characters)) for t in each.tokens]
    assert found == characters


def test_no_token_ends_within_an_address(tmp_path: Path) -> None:
    eager = DependencyTree(tuple(_word(sign, "SpaceAfter=No") for sign in "ab/c-d.e?f@g#h(i),j"))
    tokeniser = train_tokeniser([eager] * 20, TokeniserSettings(), Run(tmp_path, 1, quiet=True))
    addresses = ["https://a.org/b-c/d.html?e=f#g-h", "www.a.org/~b", "a.b-c@d-e.org"]
    addresses.append("http://a.org/b_(c_(d))")
    text = f"({addresses[0]}), {addresses[1]}. a/b {addresses[2]}! ({addresses[3]})."
    found = [t.text for each in tokeniser.tokenise(text) for t in each.tokens]
    assert [each for each in found if len(each) > 5] == addresses
    assert "".join(found) == text.replace(" ", "")
    assert "a/b" not in found


def test_names_and_topics_are_addresses(tmp_path: Path) -> None:
    pieces = ["a", "b/", "c-", "d.", "e?", "f@", "g#", "h("]
    eager = DependencyTree(tuple(_word(piece, "_") for piece in pieces))
    tokeniser = train_tokeniser([eager] * 20, TokeniserSettings(), Run(tmp_path, 1, quiet=True))
    addresses = ["@ab_cd", "#ab-cd", "@e1", "#hh"]
    text = f'({addresses[0]}) "{addresses[1]}"? {addresses[2]}, {addresses[3]} #12 a@b c#d'
    found = [t.text for each in tokeniser.tokenise(text) for t in each.tokens]
    assert [each for each in found if each[0] in "@#" and each[1:2].isalpha()] == addresses


def test_brackets_are_no_part_of_an_address(tmp_path: Path) -> None:
    """However rarely the treebank separates anything."""
    shy = DependencyTree(tuple(_word(word, "_") for word in ("<ab@c.de>", "(@ab)", '"www.a.b"')))
    tokeniser = train_tokeniser([shy] * 20, TokeniserSettings(), Run(tmp_path, 1, quiet=True))
    text = '<ab@c.de> (@ab) "www.a.b", ab@c.de\'s mailto:ab@c.de'
    expected = ["<", "ab@c.de", ">", "(", "@ab", ")", '"', "www.a.b", '",', "ab@c.de's"]
    for by_line in (False, True):
        found = tokeniser.tokenise(text, by_line=by_line)
        assert [t.text for each in found for t in each.tokens] == [*expected, "mailto:ab@c.de"]
        assert restored(map(tree_of, found)) == text


def test_a_sign_between_digits_ends_no_token_by_itself(tmp_path: Path) -> None:
    """The treebank has fractions in one piece or in three; what it has not seen is neither."""
    random = Random(5)

    def row(apart: bool) -> DependencyTree:
        a, b = random.choice("123456"), random.choice("123456")
        pieces = [a, "/", b] if apart else [f"{a}/{b}"]
        miscs = ["SpaceAfter=No"] * (len(pieces) - 1) + ["_"]
        return DependencyTree(tuple(map(_word, ["x", *pieces, "y"], ["_", *miscs, "_"])))

    run = Run(tmp_path, 1, quiet=True)
    rows = [row(random.random() < 0.5) for _ in range(60)]
    tokeniser = train_tokeniser(rows, TokeniserSettings(), run)
    assert tokeniser.paired == {"9/9", "9Po9"}
    assert tokeniser_from_bundle(tokeniser_bundle(tokeniser)).paired == tokeniser.paired
    bundle = tokeniser_bundle(tokeniser)
    del bundle.config["paired"]  # as in older models
    assert tokeniser_from_bundle(bundle).paired == set()
    text = " ".join(f"x {a}/{b} y" for a in range(10) for b in range(10))
    found = [t.text for each in tokeniser.tokenise(text) for t in each.tokens]
    assert not [each for each in found if len(each) == 2]


def test_a_long_text_without_blanks(tokeniser: Tokeniser) -> None:
    text = "ab.cd" * 20_000
    found = tokeniser.tokenise(text)
    assert restored(map(tree_of, found)) == text


def test_a_directory_keeps_all_of_it(tokeniser: Tokeniser, tmp_path: Path) -> None:
    write_bundle(tokeniser_bundle(tokeniser), tmp_path / "model")
    again = tokeniser_from_bundle(read_bundle(tmp_path / "model"))
    text = "Mr. Smith won't see 1,000 cats. She sees the dog's tail!"
    assert again.tokenise(text) == tokeniser.tokenise(text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"templates": ["glyph[0]", "nosuch gap"]}, "unknown column in templates: 'nosuch'"),
        ({"bias": float("nan")}, "bias must be"),
        ({"bias": 1e308}, "bias must be"),
    ],
)
def test_damaged_settings(change: dict[str, object], message: str, tokeniser: Tokeniser) -> None:
    bundle = tokeniser_bundle(tokeniser)
    with pytest.raises(StoreError, match=message):
        tokeniser_from_bundle(replace(bundle, config={**bundle.config, **change}))
    with pytest.raises(ValueError, match="sentence_bias must be"):
        TokeniserSettings(sentence_bias=float("nan"))


def test_training_is_deterministic(tmp_path: Path) -> None:
    made = [
        tokeniser_bundle(
            train_tokeniser(trees(40, 3), TokeniserSettings(), Run(tmp_path / n, 1, quiet=True))
        )
        for n in "ab"
    ]
    assert made[0].config == made[1].config
    assert made[0].texts == made[1].texts
    for name, array in made[0].arrays.items():
        assert array.tobytes() == made[1].arrays[name].tobytes()


def test_the_ending_of_a_word_tells_whether_a_comma_ends_the_sentence(tmp_path: Path) -> None:
    """As in Uyghur: after a finite verb it does, and the verb need not be known."""
    random = Random(4)

    def sentence(verb: str, noun: str) -> DependencyTree:
        forms = [noun, ",", verb, ","]
        spaces = ["SpaceAfter=No", "_", "SpaceAfter=No", "_"]
        return DependencyTree(tuple(map(_word, forms, spaces)))

    def stem() -> str:
        return "".join(random.choice("bcdfghklm") + random.choice("aeiou") for _ in range(3))

    learnt = [sentence(f"{stem()}itndu", f"{stem()}atndu") for _ in range(150)]
    tokeniser = train_tokeniser(learnt, TokeniserSettings(), Run(tmp_path, 1, quiet=True))
    new = [sentence(f"{stem()}itndu", f"{stem()}atndu") for _ in range(50)]
    assert scores(tokeniser, read_part(new, CharacterTable()))[1].f == 1


def test_a_language_without_blanks_has_no_features_of_blanks(tmp_path: Path) -> None:
    row = DependencyTree(
        tuple(_word(form, "SpaceAfter=No") for form in ("いぬ", "が", "はしる", "。"))
    )
    dense = train_tokeniser([row] * 20, TokeniserSettings(), Run(tmp_path / "a", 1, quiet=True))
    assert set(TEMPLATES) - set(dense.templates) == set(GROUPS["endings"])
    spaced = train_tokeniser(trees(20, 1), TokeniserSettings(), Run(tmp_path / "b", 1, quiet=True))
    assert spaced.templates == tuple(TEMPLATES)
