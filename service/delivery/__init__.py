"""Webhook delivery, and the guard of outbound requests."""
