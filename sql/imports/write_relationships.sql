-- Upsert a relationship of a snapshot.
INSERT INTO relationships (
    id, org_id, from_card_id, to_card_id, kind, comment, created_at
)
VALUES (
    :id, :org_id, :from_card_id, :to_card_id, :kind, :comment, :created_at
)
ON CONFLICT (id) DO UPDATE SET
    from_card_id = excluded.from_card_id,
    to_card_id = excluded.to_card_id,
    kind = excluded.kind,
    comment = excluded.comment,
    created_at = excluded.created_at
WHERE relationships.org_id = excluded.org_id
