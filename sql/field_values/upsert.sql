-- Set the value of a field on a card, and count the items of its checklists.
INSERT INTO field_values (card_id, field_id, value, mentions, checklist_done, checklist_total)
VALUES (
    :card_id,
    :field_id,
    :value,
    :mentions,
    coalesce((SELECT iif(kind = 'richtext', checklist_done(:value), 0) FROM fields WHERE id = :field_id), 0),
    coalesce((SELECT iif(kind = 'richtext', checklist_total(:value), 0) FROM fields WHERE id = :field_id), 0)
)
ON CONFLICT (card_id, field_id) DO UPDATE
SET
    value = excluded.value,
    mentions = excluded.mentions,
    checklist_done = excluded.checklist_done,
    checklist_total = excluded.checklist_total
