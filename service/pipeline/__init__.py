"""The request pipeline: routing, parsing, authorization, transaction, response."""
