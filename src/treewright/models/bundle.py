"""Models on disk, under the name that the models use; see `treewright.data.bundle`."""

from treewright.data.bundle import Bundle, read_bundle, write_bundle

__all__ = ["Bundle", "read_bundle", "write_bundle"]
