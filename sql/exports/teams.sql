-- The teams of an organization with their members for a snapshot, including archived ones.
SELECT
    json_object(
        'id', id,
        'name', name,
        'onboardingDoc', onboarding_doc,
        'createdAt', created_at,
        'archivedAt', archived_at,
        'archivedBy', json(archived_by),
        'archiveId', archive_id,
        'memberIds', (
            SELECT json_group_array(user_id)
            FROM (SELECT user_id FROM team_members WHERE team_id = teams.id ORDER BY user_id)
        )
    ) AS row
FROM teams
WHERE org_id = :org_id
ORDER BY created_at, id
