-- Record the last event that a reader has seen, in an organization ('' as card id) or on a card. It never decreases.
INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)
VALUES (:org_id, :reader_type, :reader_id, :card_id, :event_id)
ON CONFLICT (org_id, reader_type, reader_id, card_id) DO UPDATE SET event_id = excluded.event_id
WHERE excluded.event_id > seen.event_id
