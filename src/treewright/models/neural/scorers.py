"""Neural scorers of single kinds: `kind = "dep"` with `[scorer] kind = "neural"`, and so on.

The network only has the heads of one formalism; everything else is as in a family
(`models.neural.kind`).
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from treewright.errors import ConfigError
from treewright.models.ccg.model import KIND as CCG_KIND
from treewright.models.constituency.model import KIND as CONSTITUENCY_KIND
from treewright.models.contract import Analysis, Parser
from treewright.models.dependency.model import KIND as DEPENDENCY_KIND
from treewright.models.kinds import Kind
from treewright.models.neural.ccg import NeuralCcgParser
from treewright.models.neural.constituency import NeuralConstParser
from treewright.models.neural.dependency import NeuralDependencyParser
from treewright.models.neural.kind import NO_RAY, has_forests, train, trained_network
from treewright.models.neural.members import SUPER, TAG
from treewright.models.neural.settings import (
    JointSettings,
    NeuralCcgSettings,
    NeuralConstituencySettings,
    NeuralDependencySettings,
)
from treewright.models.neural.tagging import (
    Features,
    NetworkPosTagger,
    NetworkSupertagger,
    log_linear_tags,
)
from treewright.models.tagging.pos import KIND as POS_KIND
from treewright.models.tagging.supertagger import KIND as SUPER_KIND
from treewright.train.run import Run


def _joint(name: str, settings: Any) -> JointSettings:
    """The settings of a family with one member."""
    if settings.train is None:
        raise ConfigError("key 'train' is missing: the treebank to learn from")
    keys = ("parser", "tokeniser", "tagger")
    more = {key: getattr(settings, key) for key in keys if hasattr(settings, key)}
    try:
        return JointSettings(**{name: settings}, neural=settings.scorer, **more)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _parser(name: str) -> Callable[[Any, Run], Parser[Analysis]]:
    return lambda settings, run: train(_joint(name, settings), run).parsers[name]


def _tagger(
    make: type[NetworkPosTagger] | type[NetworkSupertagger], heads: Collection[str]
) -> Callable[[Any, Run], Parser[Analysis]]:
    def train(settings: NeuralCcgSettings, run: Run) -> Parser[Analysis]:
        joint, features = _joint("ccg", settings), None
        if settings.features is not None:  # before training: what is unusable is an error at once
            tagger = log_linear_tags(settings.features, make.kind, settings.pruned)
            features = Features(tagger, settings.parser.feature_weight)
        return make(trained_network(joint, run, heads), None, features)

    return train


def _neural(kind: Kind, settings: type, train: Any, load: Any) -> Kind:
    """A kind with the evaluation and oracle of another, trained and loaded differently."""
    found = replace(kind, settings=settings, train=train, load=load, table=None, rounded=())
    return replace(found, ray=has_forests, no_ray=NO_RAY, metric="", scorers={})


DEPENDENCY = _neural(
    DEPENDENCY_KIND, NeuralDependencySettings, _parser("dep"), NeuralDependencyParser.from_bundle
)
CCG = _neural(CCG_KIND, NeuralCcgSettings, _parser("ccg"), NeuralCcgParser.from_bundle)
CONSTITUENCY = _neural(
    CONSTITUENCY_KIND, NeuralConstituencySettings, _parser("const"), NeuralConstParser.from_bundle
)
SUPERTAGS = _neural(
    SUPER_KIND,
    NeuralCcgSettings,
    _tagger(NetworkSupertagger, (SUPER, TAG)),
    NetworkSupertagger.from_bundle,
)
POS = _neural(
    POS_KIND, NeuralCcgSettings, _tagger(NetworkPosTagger, (TAG,)), NetworkPosTagger.from_bundle
)
