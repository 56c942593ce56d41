-- What decides which card is claimed next, for one index by which the best of a column is found at once.
BEGIN;

ALTER TABLE cards ADD COLUMN claimable_by TEXT GENERATED ALWAYS AS ( -- an agent; '': any; null: none, it is a person's
    CASE WHEN assigned_agent_id IS NOT NULL THEN assigned_agent_id WHEN assigned_user_id IS NULL THEN '' END
) VIRTUAL;
ALTER TABLE cards ADD COLUMN urgency INTEGER GENERATED ALWAYS AS (
    CASE priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END
) VIRTUAL;
ALTER TABLE cards ADD COLUMN due_order TEXT GENERATED ALWAYS AS (coalesce(due_date, '~')) VIRTUAL; -- without a date: last

CREATE INDEX cards_by_claim_order ON cards (column_id, claimable_by, urgency, due_order, rank_key, id)
WHERE archived_at IS NULL AND claimable_by IS NOT NULL;

PRAGMA user_version = 22;
COMMIT;
