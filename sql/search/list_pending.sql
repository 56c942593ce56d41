-- The texts that the transaction has changed, card by card, as queued by triggers.
SELECT card_id, kind, source_id
FROM search_pending
ORDER BY org_id, card_id
