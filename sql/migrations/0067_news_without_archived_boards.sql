-- Archiving or restoring a whole board is no news of each of its cards: those events name the operation (archiveId).
BEGIN;

DROP VIEW card_news;
CREATE VIEW card_news AS
SELECT e.id, e.org_id, e.type, e.card_id, e.about, e.actor_type, e.actor_id, e.actor_label, e.created_at
FROM events AS e
WHERE
    e.card_id IS NOT NULL
    AND e.type NOT IN ('card.ranked', 'card.claimed', 'card.released', 'claim.ended', 'agent.refused')
    AND (e.about IS NULL OR e.about ->> '$.archiveId' IS NULL);

PRAGMA user_version = 67;
COMMIT;
