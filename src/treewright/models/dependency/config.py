"""What a trained dependency parser keeps of its settings."""

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from treewright.models.dependency.settings import (
    TRANSITIONS,
    DependencySettings,
    GraphModelSettings,
    TransitionModelSettings,
)

T = TypeVar("T")
Decoder = Literal["viterbi", "min-risk"]


@dataclass(frozen=True)
class DependencyConfig:
    """The saved configuration of a parser.

    tags: what it was trained on. lifts: whether its trees are pseudo-projective.
    """

    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"]
    tags: Literal["gold", "automatic"]
    decoder: Decoder
    lifts: bool
    transition: TransitionModelSettings
    graph: GraphModelSettings


def saved_config(settings: DependencySettings) -> DependencyConfig:
    """What parsing needs of the settings of a training."""
    decoder = "viterbi" if settings.algorithm in TRANSITIONS else settings.graph.decoding
    return DependencyConfig(
        settings.algorithm,
        "automatic" if settings.retags else "gold",
        decoder,
        settings.lifts,
        _part(TransitionModelSettings, settings.transition),
        _part(GraphModelSettings, settings.graph),
    )


def _part(cls: type[T], settings: Any) -> T:
    """The fields of a base class."""
    return cls(**{field.name: getattr(settings, field.name) for field in fields(cls)})  # type: ignore[arg-type]
