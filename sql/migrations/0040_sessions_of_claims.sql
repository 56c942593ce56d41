-- A claim belongs to one process of its agent, so that another process does not work on the same card.
BEGIN;

ALTER TABLE claims ADD COLUMN session TEXT; -- null: it belongs to all processes of the agent

CREATE INDEX claims_by_session ON claims (org_id, agent_id, session, expires_at) WHERE session IS NOT NULL;

PRAGMA user_version = 40;
COMMIT;
