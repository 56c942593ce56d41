"""Delivery: who hears of events, on open connections and by webhooks, and the guard of outbound requests."""
