-- The current column of a card with new events, with the previous column, decision and answer that the events refer to.
SELECT
    c.id AS card_id,
    c.key AS card_key,
    c.title,
    c.project_id,
    c.column_id,
    col.title AS "column",
    (SELECT f.title FROM columns AS f WHERE f.id = :from_column_id) AS from_column,
    (
        SELECT json_object('state', r.state, 'note', r.decision_note, 'decidedBy', json(r.decided_by))
        FROM move_requests AS r
        WHERE r.id = :request_id
    ) AS decision,
    (
        SELECT json_object('content', a.content, 'answeredBy', json(q.answered_by))
        FROM questions AS q
        JOIN comments AS a ON a.id = q.answer_id AND a.parent_id = q.comment_id
        WHERE q.comment_id = :question_id
    ) AS answer
FROM keyed_cards AS c
JOIN columns AS col ON col.id = c.column_id
WHERE c.id = :card_id
