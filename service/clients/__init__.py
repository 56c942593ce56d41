"""Commands that use the HTTP API of a running service, like any other client."""
