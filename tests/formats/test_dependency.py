"""Drawn dependency trees."""

from rich.cells import cell_len

from treewright.formats.dependency import draw_dependencies


def drawing(words: str, heads: list[int], labels: str) -> list[str]:
    return draw_dependencies(words.split(), heads, labels.split()).splitlines()


def test_arcs_leave_their_heads_towards_their_dependents() -> None:
    assert drawing("The quick fox jumps over the lazy dog .", [3, 3, 4, 0, 8, 8, 8, 4, 4],
                   "det amod nsubj root case det amod obl punct") == [
        "                      ╷root",
        "                      │┌──────────punct──────────┐",
        "                      │├─────────obl─────────┐   │",
        "                      ││    ┌──────case─────┐│   │",
        " ┌───det────┐         ││    │    ┌───det────┤│   │",
        " │   ┌─amod─┤┌─nsubj─┐││    │    │   ┌─amod─┤│   │",
        " ▼   ▼      │▼       │▼│    ▼    ▼   ▼      │▼   ▼",
        "The quick   fox      jumps over the lazy    dog  .",
    ]  # fmt: skip


def test_short_and_empty_sentences() -> None:
    assert drawing("Go", [0], "root") == [" ╷root", " ▼", "Go"]
    assert draw_dependencies([], [], []) == "\n"


def test_crossing_arcs_cross() -> None:
    assert drawing("What did you talk about ?", [4, 4, 4, 0, 1, 4],
                   "obl aux nsubj root case punct") == [
        "                   ╷root",
        "  ┌─────────case───┼────┐",
        " ┌┼─────obl───────┐│    │",
        " ││   ┌────aux────┤│    │",
        " ││   │   ┌─nsubj─┤│┌──punct──┐",
        " ▼│   ▼   ▼       │▼│   ▼     ▼",
        "What did you      talk about  ?",
    ]  # fmt: skip


def test_wide_characters_keep_words_and_arcs_together() -> None:
    *_, arrows, words = drawing("彼 は 本 を 読む", [5, 1, 5, 3, 0], "nsubj case obj case root")
    assert arrows.count("▼") == 5
    assert words.split() == ["彼", "は", "本", "を", "読む"]


def test_a_wide_tree_goes_on_in_another_row() -> None:
    words = [f"word{number}" for number in range(30)]
    labels = ["root", *["dep"] * 29]
    text = draw_dependencies(words, [0, *range(1, 29), 1], labels, 60)
    assert all(len(line) <= 60 for line in text.splitlines())
    assert all(word in text.split() for word in words)
    assert "dep (word0)" in text
    assert "dep (word29)" in text


def test_wide_characters_on_arcs_take_their_columns() -> None:
    lines = draw_dependencies(["猫"] * 40, [2, 0, *[2] * 38], ["猫", "root", *["dep"] * 38], 50)
    assert all(cell_len(line) <= 50 for line in lines.splitlines())
    assert "┌─猫─┐" in draw_dependencies(["猫", "猫"], [2, 0], ["猫", "root"])
