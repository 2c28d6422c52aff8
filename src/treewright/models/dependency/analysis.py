"""One parsed sentence, as the user sees it: heads and relations, drawings, other libraries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from treewright.data.dependency import DependencyTree, Word
from treewright.errors import TreewrightError
from treewright.formats.dependency.drawing import draw_dependencies

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class DependencyAnalysis:
    """A tree with its score; `kbest` has further trees, this one first, where they were asked for.

    Heads count words from 1; the head 0 is the root.
    """

    tree: DependencyTree
    score: float
    kbest: tuple["DependencyAnalysis", ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return self.tree.forms

    @property
    def heads(self) -> tuple[int, ...]:
        return tuple(word.head for word in self.tree.words)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.tree.deprels

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        return draw_dependencies(self.words, self.heads, self.labels).removesuffix("\n")

    def to_spacy(self, vocab: Any) -> Any:
        """A spaCy `Doc` with words, tags, heads and relations."""
        doc = _imported("spacy.tokens", "Doc")
        heads = [head - 1 if head else i for i, head in enumerate(self.heads)]
        return doc(
            vocab,
            words=list(self.words),
            spaces=[not _glued(word) for word in self.tree.words],
            pos=_known([word.upos for word in self.tree.words]),
            tags=_known([word.xpos for word in self.tree.words]),
            heads=heads,
            deps=["ROOT" if label == "root" else label for label in self.labels],
        )

    def to_nltk(self) -> Any:
        """An NLTK `DependencyGraph`."""
        graph = _imported("nltk.parse", "DependencyGraph")
        lines = (
            f"{i}\t{w.form}\t{w.lemma}\t{w.upos}\t{w.xpos}\t{w.feats}\t{w.head}\t{w.deprel}\t_\t_"
            for i, w in enumerate(self.tree.words, start=1)
        )
        return graph("\n".join(lines), top_relation_label="root")


def parsed_tree(
    tree: DependencyTree, heads: Sequence[int], labels: Sequence[str]
) -> DependencyTree:
    """The sentence with other heads and relations; enhanced ones no longer hold and go."""
    words = [
        Word(*word[:5], head, label, "_", word.misc)
        for word, head, label in zip(tree.words, heads, labels, strict=True)
    ]
    return DependencyTree(tuple(words), tree.comments, tree.tokens, tree.empty_nodes)


def plain_word(form: str) -> Word:
    """A word of which nothing but the form is known."""
    return Word(form, *("_",) * 4, 0, *("_",) * 3)


def _glued(word: Word) -> bool:
    return "SpaceAfter=No" in word.misc.split("|")


def _known(tags: list[str]) -> list[str]:
    return ["" if tag == "_" else tag for tag in tags]


def _imported(module: str, name: str) -> "Callable[..., Any]":
    from importlib import import_module

    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except ImportError as error:
        package = module.partition(".")[0]
        raise TreewrightError(f"this needs {package}: pip install {package}") from error
    return found
