-- Rebuild the full-text index from its own contents.
INSERT INTO search_texts (search_texts)
VALUES ('rebuild')
