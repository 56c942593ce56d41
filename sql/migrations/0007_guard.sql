-- What stops an agent that has run away, and what says since when and why.
BEGIN;

ALTER TABLE agents ADD COLUMN stopped_at TEXT;
ALTER TABLE agents ADD COLUMN stop_reason TEXT;  -- null: a person stopped it
ALTER TABLE agents ADD COLUMN resumed_at TEXT;   -- the guard counts from here on

CREATE INDEX history_of_new_cards ON history (org_id, actor_id, created_at)
WHERE actor_type = 'Agent' AND action = 'created';

PRAGMA user_version = 7;
COMMIT;
