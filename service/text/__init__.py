"""Texts: comparison, borders of words, handles, checklists and addresses in Markdown, explained values."""
