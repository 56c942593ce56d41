"""Business rules that have no route of their own."""
