-- Clear the queue of cards to index.
DELETE FROM search_pending
