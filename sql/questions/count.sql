-- Count the questions that match the filters of list.
SELECT
    (
        SELECT count(*)
        FROM questions AS q
        WHERE :state IS NULL AND q.org_id = :org_id
    )
    + (
        SELECT count(*)
        FROM questions AS q
        WHERE :state <> 'open' AND q.org_id = :org_id AND q.state = :state
    )
    + (
        SELECT count(*)
        FROM questions AS q
        JOIN cards AS c ON c.id = q.card_id AND c.archived_at IS NULL
        JOIN columns AS col ON col.id = c.column_id AND col.column_type <> 'done'
        WHERE :state = 'open' AND q.org_id = :org_id AND q.state = 'open'
    )
