-- A due date is a calendar day or a moment. One at midnight UTC was a day so far, in cards and in their history. An
-- organization has a time zone, in which its days begin and end. In every order a day comes before its moments.
BEGIN;

ALTER TABLE organizations ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';

ALTER TABLE cards ADD COLUMN due_all_day INTEGER NOT NULL DEFAULT 0;

UPDATE cards
SET due_all_day = 1
WHERE due_date LIKE '____-__-__T00:00:00.000Z';

DROP TRIGGER history_is_append_only;

UPDATE history
SET changes = json_replace(
        changes,
        '$.dueDate.from', replace(changes ->> '$.dueDate.from', 'T00:00:00.000Z', ''),
        '$.dueDate.to', replace(changes ->> '$.dueDate.to', 'T00:00:00.000Z', '')
    )
WHERE
    instr(changes, '"dueDate":') > 0
    AND instr(changes, 'T00:00:00.000Z"') > 0
    AND CASE WHEN json_valid(changes) THEN json_type(changes, '$.dueDate') = 'object' END;

CREATE TRIGGER history_is_append_only BEFORE UPDATE ON history
BEGIN
    SELECT RAISE(ABORT, 'history is append-only');
END;

DROP VIEW claim_candidates;
DROP INDEX cards_by_claim_order;
DROP INDEX cards_by_due_date;
ALTER TABLE cards DROP COLUMN due_order;
ALTER TABLE cards ADD COLUMN due_order TEXT GENERATED ALWAYS AS ( -- without a date: last
    CASE WHEN due_date IS NULL THEN '~' WHEN due_all_day THEN substr(due_date, 1, 10) ELSE due_date END
) VIRTUAL;

CREATE INDEX cards_by_claim_order ON cards (column_id, claimable_by, urgency, due_order, rank_key, id)
WHERE archived_at IS NULL AND claimable_by IS NOT NULL;

CREATE INDEX cards_by_due_date ON cards (org_id, due_order, rank_key, id)
WHERE due_date IS NOT NULL AND archived_at IS NULL;

-- A free card is an available card in a claimable column whose claim, if any, has expired.
CREATE VIEW claim_candidates AS
SELECT
    c.id,
    c.column_id,
    c.card_type_id,
    c.claimable_by,
    c.urgency,
    c.due_order,
    c.rank_key,
    coalesce((SELECT k.expires_at FROM claims AS k WHERE k.card_id = c.id), '') AS claimed_until, -- '': there is no claim
    NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM open_blockers AS b WHERE b.blocked_card_id = c.id) AS is_available
FROM cards AS c
WHERE c.archived_at IS NULL;

PRAGMA user_version = 46;
COMMIT;
