-- Upsert a prompt version of a snapshot.
INSERT INTO prompt_versions (
    id, prompt_id, label, body, active, created_at
)
VALUES (
    :id, :prompt_id, :label, :body, :active, :created_at
)
ON CONFLICT (id) DO UPDATE SET
    prompt_id = excluded.prompt_id,
    label = excluded.label,
    body = excluded.body,
    active = excluded.active,
    created_at = excluded.created_at
