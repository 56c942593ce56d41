-- Note up to which event somebody has seen what happened, in an organization or ('' not) on a card; never back.
INSERT INTO seen (org_id, reader_id, card_id, event_id)
VALUES (:org_id, :reader_id, :card_id, :event_id)
ON CONFLICT (org_id, reader_id, card_id) DO UPDATE SET event_id = excluded.event_id
WHERE excluded.event_id > seen.event_id
