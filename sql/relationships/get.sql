-- One relationship of an organization.
SELECT
    id,
    from_card_id,
    to_card_id,
    from_card_key,
    to_card_key,
    kind,
    comment,
    created_at
FROM relationship_details
WHERE id = :relationship_id AND org_id = :org_id
