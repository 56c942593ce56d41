"""HTTP protocol: connections, bodies, responses, static files; knows no accounts."""
