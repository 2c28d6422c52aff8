"""Installed models by name: `en` is a whole package, `en-dep` one of its parts.

A package has an entry point in the group `treewright.models`: its name, such as `en`, and an
importable package whose directory holds `models.toml` and the model directories:

    format = 3                        version of the model format
    default = "dep"                   the part to use if one model is needed

    [parts.dep]
    kind = "dep"
    directory = "dep"                 several parts can share a directory
    licence = "CC-BY-SA-4.0"
    treebank = "UD_English-EWT"
    scores = { LAS = 82.0 }           on dev
    [parts.dep.data]
    "train.conllu" = "..."            SHA-256 of the training data
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path, PurePath

from treewright.config import load as load_settings
from treewright.errors import StoreError, TreewrightError
from treewright.storage.bundle import READS

GROUP, FILE, DEFAULT = "treewright.models", "models.toml", "en"
PUBLISHED = ("en", "en-bio", "en-neural")  # packages treewright-NAME that exist
NEURAL = "-neural"  # suffix of larger packages that are more accurate
RUNS_NEURAL = ("onnxruntime", "tokenizers")
TOKENISER = "tok"  # the part whose tokeniser is used by parts without one


@dataclass(frozen=True)
class Part:
    """A model of a package; `directory` is relative to the package's own."""

    kind: str
    directory: str
    licence: str = ""
    treebank: str = ""
    config: str = ""
    card: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Contents:
    """The contents of `models.toml`."""

    format: int
    default: str
    parts: dict[str, Part] = field(default_factory=dict)


@dataclass(frozen=True)
class Package:
    """An installed model package; `project` and `version` as for pip."""

    name: str
    project: str
    version: str
    root: Path
    contents: Contents

    @property
    def parts(self) -> Mapping[str, Part]:
        """The parts by their full names."""
        return {f"{self.name}-{name}": part for name, part in self.contents.parts.items()}

    def directory(self, part: str = "", kind: str | None = None) -> Path:
        """The model directory of a part, or of the first of a kind, or of the default part."""
        of_kind = (name for name, each in self.contents.parts.items() if each.kind == kind)
        name = part or next(of_kind, self.contents.default)
        if name not in self.contents.parts:
            known = ", ".join([self.name, *self.parts])
            raise StoreError(f"{self.project} has no model '{self.name}-{name}': it has {known}")
        return self.root / self.contents.parts[name].directory

    def check(self) -> None:
        """Raises an error if a part is outside the package, or its format is not supported."""
        for name, part in self.contents.parts.items():
            path = PurePath(part.directory)
            if path.is_absolute() or ".." in path.parts or "\0" in part.directory:
                raise StoreError(
                    f"{self.project} {self.version}: part {name!r:.80} is outside the package:"
                    f" {part.directory!r:.80}"
                )
        if self.contents.format not in READS:
            raise StoreError(
                f"{self.project} {self.version} has models of format {self.contents.format}, but"
                f" this version of Treewright reads {' and '.join(map(str, READS))}: pip install"
                f" --upgrade treewright {self.project}"
            )


def packages() -> list[Package]:
    """All installed packages by name; an incompatible package is an error."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    return [_package(points[name]) for name in sorted(points)]


def package_of(name: str) -> tuple[Package, str] | None:
    """The package and the part for a name; the part is empty for the whole package."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    fitting = [each for each in points if name == each or name.startswith(f"{each}-")]
    if not fitting:
        return None
    longest = max(fitting, key=len)
    return _package(points[longest]), name[len(longest) + 1 :]


def whole_package(model: str | PathLike[str]) -> Package | None:
    """The package of that name, if it is neither a path nor the name of a part."""
    package = None if Path(model).exists() else package_of(fspath(model))
    return package[0] if package is not None and not package[1] else None


def model_directory(model: str | PathLike[str], kind: str | None = None) -> Path:
    """The directory of a model: an existing path, or the name of an installed model.

    kind: of the model, if the name is that of a package.
    """
    path = Path(model)
    if path.exists():
        return path
    package = package_of(fspath(model))
    if package is not None:
        return package[0].directory(package[1], kind)
    if path.parent != Path() or path.suffix:
        return path  # reading it raises a clear error
    raise StoreError(
        f"{path}: no such directory, and no installed model of that name; installed:"
        f" {_names() or 'none'}. {advice(fspath(model))}"
    )


def tokeniser_directory(model: str | PathLike[str]) -> Path | None:
    """The tokeniser in the package of an installed model; `en-bio` falls back on `en`."""
    package = None if Path(model).exists() else package_of(fspath(model))
    while package is not None and TOKENISER not in package[0].contents.parts:
        package = package_of(package[0].name.rpartition("-")[0])
    return None if package is None else package[0].directory(TOKENISER)


def default_model() -> str:
    """The name of the default model, neural if it can run."""
    names = [each.name for each in packages()]
    if not names:
        raise StoreError(f"no model is installed. {advice()}, or choose one with --model MODEL")
    plain = DEFAULT if DEFAULT in names else names[0]
    neural = plain + NEURAL
    return neural if neural in names and all(map(find_spec, RUNS_NEURAL)) else plain


def _names() -> str:
    return ", ".join(point.name for point in entry_points(group=GROUP))


def advice(name: str = DEFAULT) -> str:
    """The package to install for a model name, if there is one."""
    fitting = [each for each in PUBLISHED if f"{name}-".startswith(f"{each}-")]
    if not fitting:
        return "Give the path of a model or the name of an installed one (see treewright models)"
    project = f"treewright-{max(fitting, key=len)}"
    return f"To install one: pip install {project}, or packages/{project} in a clone"


def _package(point: EntryPoint) -> Package:
    project, version = (point.dist.name, point.dist.version) if point.dist else (point.value, "?")
    locations = _locations(point.value)
    if not locations:
        raise StoreError(
            f"{project} {version} is incomplete: pip install --force-reinstall {project}"
        )
    root = Path(locations[0])
    try:
        contents = load_settings(Contents, root / FILE)
    except (TreewrightError, OSError) as error:
        raise StoreError(f"{project} {version} does not fit: {error}") from error
    package = Package(point.name, project, version, root, contents)
    package.check()
    return package


def _locations(module: str) -> Sequence[str]:
    """The directories of an importable package; none if it cannot be imported."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return ()
    return spec.submodule_search_locations or () if spec else ()
