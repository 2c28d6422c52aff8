"""Dependency parsing as a kind of model (kind "dep"): what the kinds list."""

from treewright.models.dependency.model import NAME, DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.training import train_dependency
from treewright.models.kinds import Kind

KIND = Kind(NAME, DependencySettings, train_dependency, DependencyParser.from_bundle)
