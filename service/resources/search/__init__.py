"""Full-text search: its route, the index, the parsing of queries and the snippets of results."""

from . import search, texts

__all__ = ["search", "texts"]
