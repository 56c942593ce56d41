"""Health checks and Prometheus metrics."""
