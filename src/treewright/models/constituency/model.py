"""The constituency parser as a kind of model (kind "const")."""

from treewright.models.constituency.parser import ConstParser
from treewright.models.constituency.settings import ConstSettings
from treewright.models.constituency.storage import NAME
from treewright.models.constituency.training import train
from treewright.models.kinds import Kind

KIND = Kind(NAME, ConstSettings, train, ConstParser.from_bundle, ray=True)
