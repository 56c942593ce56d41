-- Claims know how long they were asked for, under which prompt the work began, and what a freeze has added to them;
-- a column names the prompt of agents who work there.
BEGIN;

ALTER TABLE columns ADD COLUMN prompt_id TEXT REFERENCES prompts (id) ON DELETE SET NULL;
ALTER TABLE claims ADD COLUMN lease_seconds INTEGER NOT NULL DEFAULT 300; -- as long it lives from each renewal
ALTER TABLE claims ADD COLUMN prompt_version_id TEXT;                     -- current when it was taken; null: none
ALTER TABLE claims ADD COLUMN frozen_until TEXT;                          -- the end of a freeze that expires_at counts in

CREATE INDEX columns_by_prompt ON columns (prompt_id) WHERE prompt_id IS NOT NULL;

UPDATE claims
SET lease_seconds = max(30, CAST(round((julianday(expires_at) - julianday(renewed_at)) * 86400) AS INTEGER));

PRAGMA user_version = 23;
COMMIT;
