"""The CCG parser as a kind of model (kind "ccg")."""

from treewright.models.ccg.parser import NAME, CcgParser
from treewright.models.ccg.settings import CcgSettings
from treewright.models.ccg.training import train_ccg
from treewright.models.kinds import Kind

KIND = Kind(NAME, CcgSettings, train_ccg, CcgParser.from_bundle, ray=True)
