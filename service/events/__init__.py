"""Listeners that wait for changes, and waiters for jobs."""
