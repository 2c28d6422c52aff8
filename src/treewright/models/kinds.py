"""The registry of kinds of models, for commands and `treewright.load`.

The module of a kind is imported on first use; it exports `KIND`. Other packages add kinds with
entry points in the group `treewright.kinds`: the name of the kind, and its `Kind` object.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, cast

from treewright.config.plugins import KINDS, plugin, plugin_names
from treewright.errors import ConfigError, StoreError
from treewright.models.contract import Analysis, Parser
from treewright.models.evaluation import NO_EVALUATION, NO_ORACLE, Evaluation, Oracle
from treewright.models.installed import model_directory, tokeniser_directory
from treewright.storage.bundle import Bundle, made, read_bundle
from treewright.storage.pruning import FeatureTable
from treewright.train.run import Run

LOG_LINEAR = "log-linear"
MODULES = {
    "ccg": "treewright.models.ccg.model",
    "const": "treewright.models.constituency.model",
    "dep": "treewright.models.dependency.model",
    "neural": "treewright.models.neural.kind",
    "pos": "treewright.models.tagging.pos",
    "tok": "treewright.models.tokenising",
    "super": "treewright.models.tagging.supertagger",
}
# To load a neural parser, only the module of its class is imported: the kinds import all parsers
# and their training, which take longer than the rest of a start.
FAMILY = "neural"
CLASSES = {
    "ccg": "treewright.models.neural.ccg:NeuralCcgParser",
    "const": "treewright.models.neural.constituency:NeuralConstParser",
    "dep": "treewright.models.neural.dependency:NeuralDependencyParser",
}


@dataclass(frozen=True)
class Kind:
    """How models of a kind are trained, loaded and evaluated.

    `settings` is the frozen dataclass for the TOML of `treewright train`, without `kind` and
    `seed`. `ray`: whether training, with these settings, supports a cluster, because it uses
    `Run.objective` or `Run.map`; otherwise `no_ray` explains why not. `table` and `rounded` name
    the weight arrays for `treewright pack`: those of a feature table, and others. `metric` is the
    name of the dev score, a fraction. `scorers` has alternative scorers by name, each a `Kind` as
    `module:attribute`, selected by `scorer.kind` in a training configuration and `scorer` in a
    model's. `part` is for models with several parsers: it returns the bundle of the named parser,
    or of the first.
    """

    name: str
    settings: type
    train: Callable[[Any, Run], Parser[Analysis]]
    load: Callable[[Bundle], Parser[Analysis]]
    ray: bool | Callable[[Any], bool] = False
    no_ray: str = "its training cannot be distributed"
    evaluation: Evaluation = NO_EVALUATION
    oracle: Oracle = NO_ORACLE
    table: FeatureTable | None = None
    rounded: tuple[str, ...] = ()
    metric: str = ""
    scorers: Mapping[str, str] = field(default_factory=dict)
    part: Callable[[Bundle, str | None], Bundle] | None = None

    def supports_ray(self, settings: Any) -> bool:
        """Whether training with these settings has work for a cluster."""
        return self.ray(settings) if callable(self.ray) else self.ray

    def scored_by(self, scorer: object) -> "Kind":
        """The same kind with another scorer instead of log-linear features."""
        if scorer is None or scorer == LOG_LINEAR:
            return self
        if scorer not in self.scorers:
            known = ", ".join((LOG_LINEAR, *self.scorers))
            raise ConfigError(f"kind {self.name!r} has no scorer {scorer!r}: one of {known}")
        return cast(Kind, _attribute(self.scorers[str(scorer)]))


def _attribute(path: str) -> Any:
    """The value of `module:attribute`."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def kind_named(name: object) -> Kind:
    """The kind of that name."""
    if name in MODULES:
        return cast(Kind, import_module(MODULES[str(name)]).KIND)
    if (added := plugin(KINDS, name)) is not None:
        return cast(Kind, added)
    raise _unknown(name, MODULES)


def evaluation_of(name: str) -> Evaluation:
    """How the output of a kind is scored; the error for an unknown kind lists the known ones."""
    if name in MODULES or name in plugin_names(KINDS):
        return kind_named(name).evaluation
    scored = (each for each in MODULES if kind_named(each).evaluation is not NO_EVALUATION)
    raise _unknown(name, scored)


def _unknown(name: object, own: Iterable[str]) -> ConfigError:
    known = ", ".join([*own, *plugin_names(KINDS)])
    return ConfigError(f"unknown kind of model {name!r}: one of {known}")


def load(model: str | PathLike[str], wanted: str | None = None) -> Parser[Analysis]:
    """Loads a model from a directory or an installed package, optionally of a given kind.

    If a model contains several parsers, the kind or a path below the directory selects one.
    """
    directory = model_directory(model, wanted)
    if not directory.exists() and (directory.parent / "manifest.json").is_file():
        directory, wanted = directory.parent, wanted or directory.name
    bundle = _part(read_bundle(directory), directory, wanted)
    if wanted is not None and bundle.kind != wanted:
        raise StoreError(f"{directory}: a model of kind {bundle.kind!r}, not {wanted!r}")
    parser = made(_loader(bundle, directory), bundle, directory)
    tokeniser = tokeniser_directory(model) if parser.tokeniser is None else None
    return parser.with_tokeniser(load(tokeniser).tokeniser) if tokeniser else parser


def _part(bundle: Bundle, directory: Path, wanted: str | None) -> Bundle:
    """The bundle of one parser of a model with several."""
    if bundle.kind == FAMILY:
        from treewright.models.neural.members import member

        return member(bundle, wanted)
    part = _stored_kind(bundle, directory).part
    return bundle if part is None else part(bundle, wanted)


def _loader(bundle: Bundle, directory: Path) -> Callable[[Bundle], Parser[Analysis]]:
    if bundle.config.get("scorer") == FAMILY and bundle.kind in CLASSES:
        return cast(type[Parser[Analysis]], _attribute(CLASSES[bundle.kind])).from_bundle
    return _stored_kind(bundle, directory).load


def stored_kind(bundle: Bundle) -> Kind:
    """The kind of a model, with its scorer."""
    return kind_named(bundle.kind).scored_by(bundle.config.get("scorer"))


def _stored_kind(bundle: Bundle, directory: Path) -> Kind:
    try:
        return stored_kind(bundle)
    except ConfigError as error:
        raise StoreError(f"{directory}: {error!s:.400}") from error
