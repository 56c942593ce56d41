"""The journey of a request: from its headers to its answer."""
