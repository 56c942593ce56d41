-- Create an event. The key and project of the card are looked up unless given.
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
