-- The cards of an agent stand in the order of their ranks, so that a page of them need not be found by a walk along all
-- columns. The index takes the place of one that had every card, also those of nobody.
BEGIN;

DROP INDEX cards_by_agent;

CREATE INDEX cards_by_agent ON cards (org_id, assigned_agent_id, archived_at, rank_key, id)
WHERE assigned_agent_id IS NOT NULL;

PRAGMA user_version = 31;
COMMIT;
