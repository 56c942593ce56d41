-- News of cards: the events that count as unread, in catch-up, in the inbox and on the board.
BEGIN;

CREATE VIEW card_news AS
SELECT e.id, e.org_id, e.type, e.card_id, e.about, e.actor_type, e.actor_id, e.actor_label, e.created_at
FROM events AS e
WHERE
    e.card_id IS NOT NULL
    AND e.type NOT IN ('card.ranked', 'card.claimed', 'card.released', 'claim.ended', 'agent.refused');

PRAGMA user_version = 57;
COMMIT;
