"""Reports: whole HTML files with scores, confusions, and sentences with their errors marked."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from typer.testing import CliRunner

from treewright.cli.main import app

GOLD = "( (S (NP (PRP He)) (VP (VBZ sleeps)) (. .)) )\n( (S (NP (PRP It)) (VP (VBZ is)) (. .)) )\n"
FOUND = "( (S (NP (PRP He)) (NP (VBZ sleeps)) (. .)) )\n()\n"
VOID = {"meta", "link", "br"}


class Balance(HTMLParser):
    """Notes elements that are not closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert not re.search(r"(src|href)=.https?:", text)
    return text


def run(*arguments: object) -> None:
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output


def conllu(*relations: str) -> str:
    rows = zip(("He", "sleeps", "well"), (2, 0, 2), relations, strict=True)
    lines = (f"{i}\t{w}\t_\t_\t_\t_\t{h}\t{r}\t_\t_" for i, (w, h, r) in enumerate(rows, 1))
    return "\n".join(lines) + "\n\n"


def test_scores_of_brackets(tmp_path: Path) -> None:
    gold, pred, out = tmp_path / "g.mrg", tmp_path / "p.mrg", tmp_path / "out.html"
    gold.write_text(GOLD)
    pred.write_text(FOUND)
    run("eval", "--kind", "const", "--gold", gold, "--pred", pred, "--report", out)
    text = check(out)
    assert '<td>VP</td><td class="words">NP</td><td>1</td>' in text
    assert text.count('class="node wrong"') == 1
    assert "0 produced, 3 due; no parse, gold is drawn" in text


def test_comparison_and_scores_of_arcs(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("g.conllu", "a.conllu", "b.conllu")]
    for path, relation in zip(files, ("advmod", "obj", "advmod"), strict=True):
        path.write_text(conllu("nsubj", "root", relation))
    out = tmp_path / "out.html"
    run("eval", "--kind", "dep", "--gold", files[0], "--pred", files[1], "--report", out)
    text = check(out)
    assert text.count('class="arc wrong"') == text.count('class="arc missed"') == 1
    given = ("--gold", *files, "--samples", 10)
    run("compare", "--kind", "dep", *given, "--report", out)
    text = check(out)
    assert "Where b is better" in text
    assert "Where a is better" not in text
    assert "bootstrap" in text


def test_calibration(tmp_path: Path) -> None:
    gold, out, parsed = (tmp_path / name for name in ("g.conllu", "out.html", "parsed.json"))
    gold.write_text(conllu("nsubj", "root", "advmod"))
    arcs = [  # of four items at 0.25 one is correct, of two at 0.95 both
        [arc(2, "nsubj", 0.25), arc(3, "obj", 0.25), arc(2, "obj", 0.25), arc(0, "root", 0.25)],
        [arc(0, "root", 0.95), arc(1, "dep", 0.001)],
        [arc(2, "advmod", 0.95)],
    ]
    words = ["He", "sleeps", "well"]
    parsed.write_text(json.dumps({"words": words, "marginals": {"arcs": arcs}}) + "\n")
    given = ("--kind", "dep", "--gold", gold, "--pred", gold, "--report", out, "--marginals")
    run("eval", *given, parsed)
    text = check(out)
    assert "<td>0.2 to 0.3</td><td>4</td><td>25.00</td><td>25.00</td>" in text
    assert "<td>0.9 to 1.0</td><td>2</td><td>95.00</td><td>100.00</td>" in text
    assert "Expected calibration error: 1.67" in text
    unlikely = {"words": words, "marginals": {"arcs": [[arc(2, "obj", 7.0)]]}}
    unsound = {"words": words, "marginals": {"arcs": [[arc([], "obj", 0.5)]]}}  # type: ignore[arg-type]
    for damage in ("{}", "[" * 100_000, json.dumps(unlikely), json.dumps(unsound)):
        parsed.write_text(damage + "\n")
        refused = CliRunner().invoke(app, ["eval", *map(str, given), str(parsed)])
        assert "not an analysis by parse --format json --marginals" in str(refused.exception)


def arc(head: int, label: str, probability: float) -> dict[str, object]:
    return {"head": head, "label": label, "probability": probability}


def test_files_that_cannot_be_drawn_still_have_scores(tmp_path: Path) -> None:
    gold, out = tmp_path / "gold.txt", tmp_path / "out.html"
    gold.write_text("He|PRP sleeps|VBZ\n")
    run("eval", "--kind", "pos", "--gold", gold, "--pred", gold, "--report", out)
    assert "No sentences are drawn: sentences of kind &#x27;pos&#x27;" in check(out)
