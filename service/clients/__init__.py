"""Programs that speak to a running service, like any other client."""
