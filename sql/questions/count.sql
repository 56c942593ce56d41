-- How many questions the filters of browse leave.
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
        JOIN columns AS l ON l.id = c.column_id AND l.column_type <> 'done'
        WHERE :state = 'open' AND q.org_id = :org_id AND q.state = 'open'
    )
