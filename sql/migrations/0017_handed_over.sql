-- Where agents moved a card to: what finds the cards that an agent has handed over to a person.
BEGIN;

CREATE INDEX history_of_agents_moves ON history (card_id, to_column_id, created_at, id)
WHERE actor_type = 'Agent' AND passage = 'moved';

PRAGMA user_version = 17;
COMMIT;
