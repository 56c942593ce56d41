-- Whether there is something to tell after an event, or so much to look through that it has to be told how far it goes.
WITH looked AS (
    SELECT type, card_id, project_id, about
    FROM events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :scan_limit
)
SELECT 1
WHERE
    (SELECT count(*) FROM looked) = :scan_limit
    OR EXISTS (
        SELECT 1
        FROM looked
        WHERE
            (:type IS NULL OR :type IN (type, '*', substr(type, 1, instr(type, '.')) || '*'))
            AND (:card_id IS NULL OR :card_id IN (card_id, about ->> '$.fromCardId'))
            AND (:project_id IS NULL OR :project_id IN (
                project_id,
                (SELECT c.project_id FROM cards AS c WHERE c.id = about ->> '$.fromCardId')
            ))
    )
