-- The numbers that cards had on boards from which they were transferred: their former keys keep naming them.
BEGIN;

CREATE TABLE former_card_keys (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    card_id TEXT NOT NULL REFERENCES cards (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_card_keys_by_card ON former_card_keys (card_id, project_id);

PRAGMA user_version = 53;
COMMIT;
