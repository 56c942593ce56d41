-- Forget which cards were to be indexed.
DELETE FROM search_pending
