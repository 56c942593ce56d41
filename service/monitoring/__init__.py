"""Monitoring: whether the service works, and what it does, for programs that watch it."""
