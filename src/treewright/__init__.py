"""Treewright trains parsers for the metric they will be judged by.

CCG, constituency and dependency parsers all build packed forests. Inference, losses and training
only see forests.

    import treewright

    parser = treewright.load("runs/ccg/model")
    analysis = parser.parse("the cat sat on the mat")
    print(analysis)                              prints a drawing
    analysis.score, analysis.marginals           score and probabilities under the model
    analysis.kbest(5)                            the five best analyses
    analysis.format("json"), analysis.to_json()  text in an output format, dictionary
    parser.parse_many(sentences)                 several sentences, faster than one call each
    parser.with_settings(decoder="viterbi")      the same model with another decoder
    parser.save("copy")                          writes a model directory
"""

from importlib.metadata import version
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from treewright.data.records import Sentence, Token
    from treewright.errors import TreewrightError
    from treewright.models.ccg.analysis import CcgAnalysis
    from treewright.models.constituency.analysis import ConstAnalysis
    from treewright.models.contract import Analysis, Parser
    from treewright.models.dependency.analysis import DependencyAnalysis
    from treewright.pipeline import Document, Pipeline

__all__ = [
    "Analysis",
    "Document",
    "Parser",
    "Pipeline",
    "Sentence",
    "Token",
    "TreewrightError",
    "__version__",
    "load",
]
__version__ = version("treewright")
_HOMES = {
    "Analysis": "treewright.models.contract",
    "Document": "treewright.pipeline.document",
    "Parser": "treewright.models.contract",
    "Pipeline": "treewright.pipeline.pipeline",
    "Sentence": "treewright.data.records",
    "Token": "treewright.data.records",
    "TreewrightError": "treewright.errors",
}


@overload
def load(  # type: ignore[overload-overlap]
    model: Literal["en", "en-bio", "en-neural"], kind: None = None
) -> "Pipeline": ...
@overload
def load(
    model: Literal["en-dep", "en-neural-dep"], kind: None = None
) -> "Parser[DependencyAnalysis]": ...
@overload
def load(
    model: Literal["en-ccg", "en-bio-ccg", "en-neural-ccg"], kind: None = None
) -> "Parser[CcgAnalysis]": ...
@overload
def load(model: str | PathLike[str], kind: Literal["dep"]) -> "Parser[DependencyAnalysis]": ...
@overload
def load(model: str | PathLike[str], kind: Literal["ccg"]) -> "Parser[CcgAnalysis]": ...
@overload
def load(
    model: Literal["en-const", "en-neural-const"], kind: None = None
) -> "Parser[ConstAnalysis]": ...
@overload
def load(model: str | PathLike[str], kind: Literal["const"]) -> "Parser[ConstAnalysis]": ...
@overload
def load(model: str | PathLike[str], kind: str | None = None) -> "Parser[Analysis]": ...
def load(model: str | PathLike[str], kind: str | None = None) -> "Parser[Any] | Pipeline":
    """Loads a model from a directory, or an installed model such as "en-dep".

    If a model contains several parsers, `kind` selects one. The name of a package, such as "en",
    loads a `Pipeline` of all its parts, as `Pipeline.installed("en")` does.
    """
    from treewright.models.installed import whole_package
    from treewright.models.kinds import load as load_model

    if kind is not None or whole_package(model) is None:
        return load_model(model, kind)
    from treewright.pipeline.pipeline import Pipeline

    return Pipeline.installed(model)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Imports public classes on first use, so that the command line starts faster."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
