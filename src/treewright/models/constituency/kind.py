"""Constituency parsing as a kind of model (kind "const"): what the kinds list.

Three models share the treebank grammar: `rich`, a CRF or max-margin model with features of spans
and splits; `rules`, the max-margin paper's weighted grammar, a weight for each rule; `pcfg`, the
same grammar with relative frequencies.
"""

from treewright.models.constituency.model import NAME, load
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.training import train
from treewright.models.kinds import Kind

KIND = Kind(NAME, ConstSettings, train, load, ray=True)
