-- The best free card with a question of the agent that was answered and that the agent has not seen.
SELECT c.id
FROM questions AS q
JOIN claim_candidates AS c ON c.id = q.card_id
JOIN claimable_columns AS col ON col.id = c.column_id
WHERE
    q.org_id = :org_id
    AND q.agent_id = :agent_id
    AND q.state = 'answered'
    AND q.answer_seen = 0
    AND (:column_id IS NULL OR col.id = :column_id)
    AND (:project_id IS NULL OR col.project_id = :project_id)
    AND c.claimable_by IN ('', :agent_id)
    AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
    AND c.claimed_until <= :now
    AND c.is_available
ORDER BY c.urgency, c.due_order, c.rank_key, c.id
LIMIT 1
