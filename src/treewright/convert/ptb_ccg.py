"""Penn trees to CCG derivations: one tree, or the trees of many files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from treewright.convert.arguments import Arguments
from treewright.convert.build import Converter
from treewright.convert.check import check
from treewright.convert.longrange import found_links, links, marks
from treewright.convert.natural import natural
from treewright.convert.penn import Penn, read_penn
from treewright.convert.repair import repair
from treewright.convert.steps import ConversionError
from treewright.convert.symbols import s
from treewright.data import genia, ptb
from treewright.data.brackets import Bracketed, preorder
from treewright.data.records import Dependencies, Derivation
from treewright.errors import ConfigError, GrammarError
from treewright.grammar.category import Category

XML = ".xml"  # the GENIA treebank as released
SUFFIXES = (".mrg", ".parse", ".tree", XML)
NOT_FINITE = frozenset({"b", "pss", "pt", "ng"})
MAX_DEPTH = 90  # phrases above one another; real trees have at most half as many
MAX_NODES = 4000  # phrases, words and traces; time is quadratic in their number


@dataclass(frozen=True)
class Converted:
    """A sentence after conversion: its derivation and dependencies, or why there are none."""

    id: str
    label: str
    derivation: Derivation | None = None
    dependencies: Dependencies | None = None
    cause: str = ""
    detail: str = ""
    notes: tuple[str, ...] = ()
    traces: Mapping[tuple[str, bool], int] = field(default_factory=dict)


def convert(tree: Bracketed, name: str, arguments: Arguments) -> Converted:
    """One tree under the name of its sentence."""
    if any(islice(preorder(tree), MAX_NODES, None)):
        return Converted(name, tree.label, cause="too large")
    root = read_penn(tree)
    if root is None:
        return Converted(name, "", cause="no words")
    label = root.label
    if _depth(root) > MAX_DEPTH:
        return Converted(name, label, cause="too deep")
    made = _attempt(root, name, arguments)
    if made.cause:
        again = read_penn(tree)
        other = _attempt(without_gaps(again), name, arguments) if again else made
        if other.cause:
            return made
        made = replace(other, notes=(*other.notes, f"no gaps: {made.cause}"))
    return _with_traces(made, tree)


def _with_traces(made: Converted, tree: Bracketed) -> Converted:
    """Mark long-range dependencies, and count the traces that they stand for."""
    root = read_penn(tree)
    if root is None or made.dependencies is None:
        return made
    traces = list(links(root))
    marked = replace(made.dependencies, marks=marks(traces, made.dependencies))
    return replace(made, dependencies=marked, traces=found_links(traces, marked))


def _attempt(root: Penn, name: str, arguments: Arguments) -> Converted:
    label, words = root.label, [leaf.word for leaf in root.words()]
    converter = Converter(arguments)
    try:
        root = repair(root)
        made = converter.build(root, root_category(root))
        derivation, dependencies = check(Derivation(name, made), words)
    except ConversionError as error:
        return Converted(name, label, cause=error.cause, detail=str(error))
    except RecursionError:
        return Converted(name, label, cause="too deep")
    except GrammarError as error:
        return Converted(name, label, cause="not derivable", detail=str(error))
    except (LookupError, ValueError, AttributeError, StopIteration) as error:
        return Converted(name, label, cause="internal error", detail=repr(error))
    return Converted(name, label, derivation, dependencies, notes=tuple(converter.notes))


def root_category(root: Penn) -> Category:
    """The category of a whole tree; a sentence with a subject is finite, whatever its verb is."""
    own = natural(root)
    return s("dcl") if own.base == "S" and own.feature in NOT_FINITE else own


def without_gaps(root: Penn) -> Penn:
    """The tree without traces other than subjects', for what cannot be converted with them."""
    for node in root.nodes():
        if not node.label.startswith("SBAR"):
            node.children = [c for c in node.children if not c.trace or "SBJ" in c.tags]
    return root


def _depth(root: Penn) -> int:
    depth, layer = 0, [root]
    while layer:
        depth, layer = depth + 1, [child for node in layer for child in node.children]
    return depth


def tree_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files themselves, and those of directories that end in SUFFIXES, sorted."""
    for path in paths:
        if not path.is_dir():
            yield path
        elif files := sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES):
            yield from files
        else:
            raise ConfigError(f"{path}: no files that end in {', '.join(SUFFIXES)}")


def named_trees(paths: Iterable[Path]) -> Iterator[tuple[str, Bracketed]]:
    """All trees with their sentences' names, FILE.N; N counts the trees of a file from 1."""
    for path in tree_files(paths):
        trees = genia.read(path) if path.suffix == XML else ptb.read(path)
        for number, tree in enumerate(trees, start=1):
            yield f"{path.stem}.{number}", tree


def convert_files(paths: Iterable[Path], arguments: Arguments) -> Iterator[Converted]:
    """Convert the trees of files and directories, one after the other."""
    return (convert(tree, name, arguments) for name, tree in named_trees(paths))
