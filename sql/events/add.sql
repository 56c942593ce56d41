-- Something happened; the project of a card is looked up if it is not given.
INSERT INTO events (org_id, type, card_id, project_id, about, actor_type, actor_id, actor_label, created_at)
VALUES (
    :org_id,
    :type,
    :card_id,
    coalesce(:project_id, (SELECT c.project_id FROM cards AS c WHERE c.id = :card_id)),
    :about,
    :actor_type,
    :actor_id,
    :actor_label,
    :now
)
