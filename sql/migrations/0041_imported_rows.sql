-- Comments and history rows that came with an import are marked, since this service did not record them.
-- Rows of earlier imports cannot be told from others. An answer is shown only if it replies to its question.
BEGIN;

ALTER TABLE history ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;

DROP VIEW question_details;

CREATE VIEW question_details AS
SELECT
    q.comment_id,
    q.org_id,
    q.card_id,
    p.key || '-' || c.number AS card_key,
    c.title,
    c.column_id,
    c.archived_at AS card_archived_at,
    q.agent_id,
    m.content,
    q.state,
    q.options,
    q.created_at,
    q.answered_by,
    q.answered_at,
    (SELECT a.content FROM comments AS a WHERE a.id = q.answer_id AND a.parent_id = q.comment_id) AS answer
FROM questions AS q
JOIN comments AS m ON m.id = q.comment_id
JOIN cards AS c ON c.id = q.card_id
JOIN projects AS p ON p.id = c.project_id;

PRAGMA user_version = 41;
COMMIT;
