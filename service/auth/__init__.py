"""Authentication and authorization: credentials, policies and the request context."""
