-- What agents were refused, for those who look after them: one row an agent, card, code and hour.
BEGIN;

CREATE TABLE refusals (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,
    card_id TEXT NOT NULL,                     -- '': it was about no card; no reference: the row outlives its card
    code TEXT NOT NULL,
    hour TEXT NOT NULL,                        -- 2026-11-20T09
    to_column_id TEXT,                         -- the last one of a move
    message TEXT NOT NULL,
    blockers TEXT NOT NULL,                    -- JSON array
    count INTEGER NOT NULL,
    first_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    told_at TEXT,                              -- when an event last told of it
    UNIQUE (org_id, agent_id, card_id, code, hour)
) STRICT;

CREATE INDEX refusals_by_time ON refusals (org_id, last_at);
CREATE INDEX refusals_by_age ON refusals (last_at);

PRAGMA user_version = 19;
COMMIT;
