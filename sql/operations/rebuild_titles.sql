-- Rebuild the index of title substrings from its own contents.
INSERT INTO search_titles (search_titles)
VALUES ('rebuild')
