"""API reference: the OpenAPI document and the HTML pages that show it."""
