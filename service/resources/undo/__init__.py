"""Undo of what an agent did, and of a single change of a card."""
