-- The cards of an organization, of a type and of a person stand in the order of their ranks, so that a page of them need
-- not be found by a walk along all columns: a type that one board of twenty has took a look at the cards of the others.
BEGIN;

DROP INDEX cards_by_organization;

CREATE INDEX cards_by_organization ON cards (org_id, archived_at, rank_key, id);

DROP INDEX cards_by_type;

CREATE INDEX cards_by_type ON cards (card_type_id, org_id, archived_at, rank_key, id);

DROP INDEX cards_by_user;

CREATE INDEX cards_by_user ON cards (assigned_user_id, org_id, archived_at, rank_key, id)
WHERE assigned_user_id IS NOT NULL;

PRAGMA user_version = 33;
COMMIT;
