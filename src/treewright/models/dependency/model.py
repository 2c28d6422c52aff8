"""Dependency parsers as a kind of model (kind "dep")."""

from treewright.models.dependency.parser import NAME, DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.training import train_dependency
from treewright.models.kinds import Kind

KIND = Kind(NAME, DependencySettings, train_dependency, DependencyParser.from_bundle)
