-- Rebuild the full-text index of large cards from its own contents.
INSERT INTO search_parts (search_parts)
VALUES ('rebuild')
