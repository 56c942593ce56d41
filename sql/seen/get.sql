-- The last event that a reader has seen in an organization.
SELECT event_id
FROM seen
WHERE org_id = :org_id AND reader_type = :reader_type AND reader_id = :reader_id AND card_id = ''
