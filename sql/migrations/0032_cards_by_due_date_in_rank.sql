-- Cards that are due at the same moment stand in the order of their ranks, so that a page by due date, however deep, is
-- found without a look at the cards before it.
BEGIN;

DROP INDEX cards_by_due_date;

CREATE INDEX cards_by_due_date ON cards (org_id, due_date, rank_key, id)
WHERE due_date IS NOT NULL AND archived_at IS NULL;

PRAGMA user_version = 32;
COMMIT;
