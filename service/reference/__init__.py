"""The reference of the API: the OpenAPI document and its page."""
