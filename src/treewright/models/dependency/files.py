"""Files of sentences to parse, CoNLL-U or plain text, and analyses as text."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from treewright.data import conllu
from treewright.data.dependency import TEXT, DependencyTree
from treewright.data.lines import peeked, read_lines
from treewright.data.text import parse_tokens
from treewright.models.dependency.analysis import DependencyAnalysis, plain_word
from treewright.text.read import read_blocks
from treewright.text.tokeniser import Tokeniser
from treewright.text.trees import tree_of

SUFFIXES = (".conllu", ".conll", ".conllx")
COMMENT = re.compile(r"#\s*(newdoc|newpar|\S+\s*=)")  # as CoNLL-U has them; text may begin with #


def read_input(
    source: Path, tokeniser: Tokeniser | None = None, by_line: bool = False
) -> Iterator[DependencyTree]:
    """The sentences of a CoNLL-U file, by its suffix or its first line, or of a text.

    Text is raw where there is a tokeniser, or `by_line` one sentence per line; without a tokeniser
    each line has the tokens of a sentence, with spaces between them.
    """
    with peeked(source) as (first, file):
        if source.suffix in SUFFIXES or COMMENT.match(first) or first.count("\t") == 9:
            yield from conllu.read(file, heads="none")
        elif tokeniser is not None:
            for start, block in read_blocks(file, source.is_char_device()):
                yield from map(tree_of, tokeniser.tokenise(block, start, by_line))
        else:
            yield from _read_text(file)


def _read_text(file: TextIO) -> Iterator[DependencyTree]:
    for _, line in read_lines(file):
        forms = [token.word for token in parse_tokens(line)]
        comment = TEXT + " ".join(forms)
        yield DependencyTree(tuple(map(plain_word, forms)), (comment,) if forms else ())


def format_analysis(analysis: DependencyAnalysis, layout: str, k: int = 1) -> str:
    """One block of text: every one of the k best trees, with its score where there are several."""
    if layout == "json":
        return _json(analysis, k)
    chosen = analysis.kbest if k > 1 else (analysis,)
    return "".join(_block(each, layout, k > 1) for each in chosen)


def _block(analysis: DependencyAnalysis, layout: str, scored: bool) -> str:
    score = f"# score = {analysis.score:.6g}"
    if layout == "drawing":
        return (f"{score}\n" if scored else "") + f"{analysis}\n\n"
    if not len(analysis):
        return ""
    tree = analysis.tree
    if scored:
        tree = replace(tree, comments=(*tree.comments, score))
    return conllu.format_sentence(tree)


def _json(analysis: DependencyAnalysis, k: int) -> str:
    trees = [
        {"heads": each.heads, "labels": each.labels, "score": each.score}
        for each in (analysis.kbest if k > 1 else (analysis,))
    ]
    tags = [word.upos for word in analysis.tree.words]
    content = {"words": analysis.words, "upos": tags, **(trees[0] if k == 1 else {"kbest": trees})}
    return json.dumps(content, ensure_ascii=False) + "\n"
