-- Whether there are matching events after an event, or as many events as one scan reads.
WITH scanned AS (
    SELECT type, card_id, project_id, about
    FROM events
    WHERE org_id = :org_id AND id > :since
    ORDER BY id
    LIMIT :scan_limit
)
SELECT 1
WHERE
    (SELECT count(*) FROM scanned) = :scan_limit
    OR EXISTS (
        SELECT 1
        FROM scanned
        WHERE
            (:type IS NULL OR :type IN (type, '*', substr(type, 1, instr(type, '.')) || '*'))
            AND (:card_id IS NULL OR :card_id IN (card_id, about ->> '$.fromCardId'))
            AND (:project_id IS NULL OR :project_id IN (
                project_id,
                about ->> '$.fromProjectId',
                (SELECT c.project_id FROM cards AS c WHERE c.id = about ->> '$.fromCardId')
            ))
    )
