"""The models in a process, and variants of them with other settings."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import load
from treewright.serve.settings import ModelSource

VARIANTS = 64  # variants that are cached


class Models:
    """Loaded models by name; the first is the default."""

    def __init__(self, parsers: dict[str, Parser[Analysis]]) -> None:
        self.parsers = parsers
        self.variant = lru_cache(VARIANTS)(self._variant)

    @classmethod
    def load(cls, sources: Sequence[ModelSource]) -> "Models":
        return cls({source.name: _loaded(source) for source in sources})

    def _variant(self, name: str, settings: tuple[tuple[str, str], ...]) -> Parser[Analysis]:
        parser = self.parsers[name]
        return parser.with_settings(**dict(settings)) if settings else parser

    def described(self) -> list[dict[str, Any]]:
        """The descriptions of the models for clients."""
        return [
            {
                "name": name,
                "kind": parser.kind,
                "formats": list(parser.formats),
                "text": ["raw", "sentences", "tokens"] if parser.tokeniser else ["tokens"],
            }
            for name, parser in self.parsers.items()
        ]


def _loaded(source: ModelSource) -> Parser[Analysis]:
    parser = load(source.directory)
    if parser.tokeniser is None and source.tokeniser is not None:
        return parser.with_tokeniser(load(source.tokeniser).tokeniser)
    return parser
