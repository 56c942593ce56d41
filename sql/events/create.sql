-- Something happened; the key and the project of a card are looked up if they are not given.
INSERT INTO events (org_id, type, card_id, card_key, project_id, about, actor_type, actor_id, actor_label, created_at)
VALUES (
    :org_id,
    :type,
    :card_id,
    coalesce(
        :card_key,
        (
            SELECT p.key || '-' || c.number
            FROM cards AS c
            JOIN projects AS p ON p.id = c.project_id
            WHERE c.id = :card_id
        )
    ),
    coalesce(:project_id, (SELECT c.project_id FROM cards AS c WHERE c.id = :card_id)),
    :about,
    :actor_type,
    :actor_id,
    :actor_label,
    :now
)
