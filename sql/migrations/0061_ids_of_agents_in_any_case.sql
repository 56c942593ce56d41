-- An index of the ids of agents in any case: no new handle of a person is such an id.
BEGIN;

CREATE INDEX agents_by_id_in_any_case ON agents (org_id, id COLLATE NOCASE);

PRAGMA user_version = 61;
COMMIT;
