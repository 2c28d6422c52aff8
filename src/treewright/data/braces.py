r"""The Japanese CCGbank's brackets, which depccg and Jigg print too: one derivation per line.

    {rule category child [child]}
    {category word/lemma/pos/inflection}

After the description of Uematsu, Matsuzaki, Hanaoka, Miyao and Mimura (2013), *Integrating multiple
dependency corpora for inducing wide-coverage Japanese CCG resources*, and depccg's README.
Variables of heads (`NP[case=ga]{I1}`) and the text after the `_` of a lexical category are ignored;
the inflection may be missing. The head of a phrase is its last child.
"""

import re

from treewright.data.lines import MAX_DEPTH, shown
from treewright.data.records import Leaf, Node, Tree

BEGIN = re.compile(r"\{[^\s{}]+ \S")
HEAD_VARIABLE = re.compile(r"\{[A-Z]+[0-9]*\}")


def is_braced(line: str) -> bool:
    """Whether a line starts like a derivation in braces."""
    return bool(BEGIN.match(line))


def parse_braces(line: str) -> Tree:
    """Parses the derivation in one line; a ValueError says what is wrong with it."""
    fields = HEAD_VARIABLE.sub("", line).split()
    stack: list[tuple[str, list[Tree]]] = []
    position = 0
    while position + 1 < len(fields):
        first, second = fields[position : position + 2]
        if not first.startswith("{") or len(first) == 1:
            raise ValueError(f"expected '{{', not {shown(first)}")
        position += 2
        if not second.endswith("}"):
            stack.append((second, []))
            if len(stack) > MAX_DEPTH:
                raise ValueError(f"the derivation is deeper than {MAX_DEPTH} nodes")
            continue
        token = second.rstrip("}")
        root = _close(stack, _leaf(first[1:], token), len(second) - len(token) - 1)
        if not stack:
            if position < len(fields):
                raise ValueError(f"the derivation ends before {shown(fields[position])}")
            return root
    raise ValueError("the line ends inside the derivation")


def _close(stack: list[tuple[str, list[Tree]]], tree: Tree, brackets: int) -> Tree:
    """Adds a child to the innermost open node, and closes a node per bracket."""
    for _ in range(brackets):
        if not stack:
            raise ValueError("too many closing brackets")
        category, children = stack.pop()
        children.append(tree)
        if len(children) > 2:
            raise ValueError(f"a node has 1 or 2 children, not {len(children)}")
        tree = Node(category, tuple(children), len(children) - 1)
    if stack:
        stack[-1][1].append(tree)
    return tree


def _leaf(category: str, token: str) -> Leaf:
    word, pos = _word_and_pos(token.split("/"), token)
    return Leaf(category.partition("_")[0], word, pos, pos)


def _word_and_pos(parts: list[str], token: str) -> tuple[str, str]:
    """The word and POS tag of a leaf; a word with slashes occurs twice in its fields."""
    if len(parts) in {3, 4} and parts[0]:
        return parts[0], parts[2]
    both = parts[:-2]
    if len(both) < 2 or len(both) % 2 or both[: len(both) // 2] != both[len(both) // 2 :]:
        raise ValueError(f"expected word/lemma/pos/inflection, not {shown(token)}")
    return "/".join(both[: len(both) // 2]), parts[-2]
