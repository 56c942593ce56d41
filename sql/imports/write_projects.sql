-- Upsert a project of a snapshot.
INSERT INTO projects (
    id, org_id, title, key, last_number, color, display, created_at, archived_at, archived_by, archive_id
)
VALUES (
    :id,
    :org_id,
    :title,
    :key,
    :last_number,
    :color,
    -- An import that an earlier version has begun does not say it.
    coalesce(
        :display,
        '{"attachments":true,"progress":true,"listColumns":'
        || '["title","key","column","assignee","agent","priority","due","labels"]}'
    ),
    :created_at,
    :archived_at,
    :archived_by,
    :archive_id
)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title,
    key = excluded.key,
    last_number = excluded.last_number,
    color = excluded.color,
    display = excluded.display,
    created_at = excluded.created_at,
    archived_at = excluded.archived_at,
    archived_by = excluded.archived_by,
    archive_id = excluded.archive_id
WHERE projects.org_id = excluded.org_id
