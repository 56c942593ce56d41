-- The transitions that an agent can take without approval, from columns in which agents may change cards.
SELECT t.from_column_id, t.to_column_id
FROM transitions AS t
JOIN columns AS col ON col.id = t.from_column_id
WHERE
    t.org_id = :org_id
    AND t.archived_at IS NULL
    AND t.requires_approval = 0
    AND col.agent_pickup_enabled = 1
    AND col.agent_can_moderate = 1
ORDER BY t.created_at, t.id
