"""Texts: comparison, handles, checklists in Markdown, and explanations of problems with values."""
