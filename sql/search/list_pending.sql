-- The cards whose texts the transaction has changed, as queued by triggers.
SELECT org_id, card_id
FROM search_pending
