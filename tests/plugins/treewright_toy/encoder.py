"""An encoder that another package adds: the hashed one, with vectors of half the width."""

from collections.abc import Mapping

from treewright.neural.encoder import Encoder
from treewright.neural.hashed import HashedEncoder
from treewright.neural.settings import EncoderSettings


def letters(settings: EncoderSettings, texts: Mapping[str, str]) -> Encoder:
    assert not texts  # it keeps none
    return HashedEncoder(settings.width // 2, 1, settings.rows, settings.dropout)
