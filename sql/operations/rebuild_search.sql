-- Rebuild the full-text index of small cards from its own contents.
INSERT INTO search_texts (search_texts)
VALUES ('rebuild')
