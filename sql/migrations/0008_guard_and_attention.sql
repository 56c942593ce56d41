-- What stops an agent that has run away, and what the list of things that wait for a person reads.
BEGIN;

ALTER TABLE agents ADD COLUMN stopped_at TEXT;
ALTER TABLE agents ADD COLUMN stop_reason TEXT;  -- null: a person stopped it
ALTER TABLE agents ADD COLUMN resumed_at TEXT;   -- the guard counts from here on

CREATE INDEX history_of_new_cards ON history (org_id, actor_id, created_at)
WHERE actor_type = 'Agent' AND action = 'created';

CREATE INDEX cards_by_due_date ON cards (org_id, due_date) WHERE due_date IS NOT NULL AND archived_at IS NULL;

PRAGMA user_version = 8;
COMMIT;
