-- The cards whose texts the transaction has changed; triggers note them.
SELECT org_id, card_id
FROM search_pending
