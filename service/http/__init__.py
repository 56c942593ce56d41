"""The HTTP protocol: connections, bodies, responses and static files; independent of accounts."""
