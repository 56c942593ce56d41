"""Search: its route, the index that it looks through, its words and its snippets."""

from . import search, texts

__all__ = ["search", "texts"]
