"""From raw text to documents: a tokeniser and parsers of several kinds behind one object."""

from treewright.pipeline.document import Document, DocumentSentence, DocumentToken
from treewright.pipeline.pipeline import Pipeline

__all__ = ["Document", "DocumentSentence", "DocumentToken", "Pipeline"]
