"""Credentials: passwords, keys, tokens, and the vault of secrets kept for others."""
