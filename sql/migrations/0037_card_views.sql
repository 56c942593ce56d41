-- Cards that an agent may claim are tested for a live claim first, which is cheapest, and a view adds the key to a card.
BEGIN;

DROP VIEW claimable_cards;

-- A free card is an available card in a claimable column whose claim, if any, has expired.
CREATE VIEW claim_candidates AS
SELECT
    c.id,
    c.column_id,
    c.card_type_id,
    c.claimable_by,
    c.urgency,
    c.due_order,
    c.rank_key,
    coalesce((SELECT k.expires_at FROM claims AS k WHERE k.card_id = c.id), '') AS claimed_until, -- '': there is no claim
    NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
    AND NOT EXISTS (SELECT 1 FROM open_blockers AS b WHERE b.blocked_card_id = c.id) AS is_available
FROM cards AS c
WHERE c.archived_at IS NULL;

-- A card with its key and the state of its project.
CREATE VIEW keyed_cards AS
SELECT
    c.id,
    c.org_id,
    c.project_id,
    c.column_id,
    c.card_type_id,
    c.number,
    p.key || '-' || c.number AS key,
    c.title,
    c.archived_at,
    p.archived_at AS project_archived_at
FROM cards AS c
JOIN projects AS p ON p.id = c.project_id;

PRAGMA user_version = 37;
COMMIT;
