"""Scores of a model on dev from words alone, or from raw text.

python -m benchmarks.words_only MODEL DEV
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import peak_mb
from benchmarks.table import markdown
from treewright.data import conllu, ptb
from treewright.data.brackets import Bracketed, tagged_words
from treewright.data.dependency import DependencyTree
from treewright.data.records import Sentence
from treewright.grammar.treebank import prepare
from treewright.metrics import constituency
from treewright.metrics import dependency as conll
from treewright.models.ccg.dev import CcgDev
from treewright.models.ccg.parser import CcgParser
from treewright.models.constituency.parser import ConstParser
from treewright.models.dependency.parser import DependencyParser
from treewright.models.kinds import load
from treewright.models.neural.constituency import NeuralConstParser
from treewright.models.tokenising import TokeniserModel
from treewright.text.raw import assemble
from treewright.text.trees import tree_of


def scores(model: Any, dev: Path) -> dict[str, float]:
    """The main metrics of a model's kind, in percent."""
    match model:
        case TokeniserModel():
            return _raw([tree_of(each) for each in model.tokenise(_text(dev))], dev, TOKENS)
        case DependencyParser():
            return _dependency(model, dev)
        case CcgParser():
            read = CcgDev(dev)
            found = read.scores(read.parse(model, gold_pos=False))
            tags = 100 * found.supertags
            return {"LF": 100 * found.labelled.f, "UF": 100 * found.unlabelled.f, "supertags": tags}
        case ConstParser() | NeuralConstParser():
            return _constituency(model, dev)
    raise SystemExit(f"no words-only score for a model of kind {model.kind}")


TOKENS = ("Tokens", "Sentences", "Words")
COLUMNS = ("UPOS", "XPOS", "Lemmas", "UAS", "LAS")


def _text(dev: Path) -> str:
    return assemble(list(conllu.read(dev))).text


def _raw(found: Sequence[DependencyTree], dev: Path, columns: Sequence[str]) -> dict[str, float]:
    words = conll.score(found, list(conllu.read(dev))).words
    return {name: 100 * words[name].score.f for name in columns}


def _dependency(model: DependencyParser, dev: Path) -> dict[str, float]:
    """With the tokens of the file, and LAS from raw text."""
    given = [DependencyTree(tuple(map(_bare, tree.words))) for tree in conllu.read(dev)]
    found = _raw([each.tree for each in model.parse_many(given)], dev, COLUMNS)
    if model.tokeniser is None:
        return found
    text = [each.tree for each in model.parse_text(_text(dev))]
    return found | {"LAS, raw text": _raw(text, dev, ["LAS"])["LAS"]}


def _bare(word: Any) -> Any:
    return word._replace(lemma="_", upos="_", xpos="_", feats="_", head=0, deprel="_")


def _constituency(model: ConstParser, dev: Path) -> dict[str, float]:
    gold: list[Bracketed] = [tree for tree in map(prepare, ptb.read(dev)) if tree is not None]
    words = [[leaf.word for leaf in tagged_words(tree)] for tree in gold]
    found = [each.tree for each in model.parse_many(Sentence.of(row) for row in words)]
    return {"F1": 100 * constituency.score(found, gold).brackets_all.f}


def main() -> None:
    """Prints the scores of a model, CPU time and peak memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model", help="installed model or directory, such as runs/large/model/ccg")
    parser.add_argument("dev", type=Path)
    options = parser.parse_args()
    began = time.process_time()
    found = scores(load(options.model), options.dev)
    rows = [(name, f"{value:.2f}") for name, value in found.items()]
    rows += [("CPU s", f"{time.process_time() - began:.0f}"), ("peak RSS MB", f"{peak_mb():.0f}")]
    print(markdown(["metric", "value"], rows))


if __name__ == "__main__":
    main()
