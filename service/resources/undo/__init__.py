"""Undo of the changes of an agent, and of a single change of a card."""
