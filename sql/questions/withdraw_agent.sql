-- Withdraw open questions of an agent, up to a limit, and return them.
UPDATE questions
SET state = 'withdrawn'
WHERE
    comment_id IN (
        SELECT q.comment_id
        FROM questions AS q
        WHERE q.org_id = :org_id AND q.agent_id = :agent_id AND q.state = 'open'
        LIMIT :limit
    )
RETURNING comment_id, card_id
