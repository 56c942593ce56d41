-- The keys of the cards whose stored counts are wrong, or whose relations are wrongly stored as open or closed.
SELECT p.key || '-' || c.number AS card_key
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id
WHERE
    c.comment_count <> (SELECT count(*) FROM comments AS m WHERE m.card_id = c.id AND m.parent_id IS NULL)
    OR c.reply_count <> (SELECT count(*) FROM comments AS m WHERE m.card_id = c.id AND m.parent_id IS NOT NULL)
    OR c.history_count <> (SELECT count(*) FROM history AS h WHERE h.card_id = c.id)
    OR c.file_count <> (SELECT count(*) FROM files AS f WHERE f.card_id = c.id)
    OR c.part_count <> (SELECT count(*) FROM part_states AS s WHERE s.parent_id = c.id AND s.is_active)
    OR c.done_part_count <> (SELECT count(*) FROM part_states AS s WHERE s.parent_id = c.id AND s.is_done)
    OR EXISTS (
        SELECT 1
        FROM relationships AS r
        WHERE
            r.from_card_id = c.id
            AND r.is_open <> coalesce((SELECT s.is_open FROM blocker_states AS s WHERE s.relationship_id = r.id), 0)
    )
ORDER BY p.key, c.number
