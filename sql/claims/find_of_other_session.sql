-- The live claim of an agent that another of its sessions has renewed least recently.
SELECT k.card_id
FROM claims AS k
JOIN cards AS c ON c.id = k.card_id
JOIN claimable_columns AS col ON col.id = c.column_id
WHERE
    k.org_id = :org_id
    AND k.agent_id = :agent_id
    AND k.session IS NOT NULL
    AND k.session IS NOT :session
    AND k.expires_at > :now
    AND (:column_id IS NULL OR col.id = :column_id)
    AND (:project_id IS NULL OR col.project_id = :project_id)
    AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
ORDER BY k.renewed_at, k.card_id
LIMIT 1
