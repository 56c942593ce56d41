-- Store the response of a request with an idempotency key. This replaces an expired one.
INSERT INTO retries (id, org_id, fingerprint, answer, created_at)
VALUES (:id, :org_id, :fingerprint, :answer, :now)
ON CONFLICT (id) DO UPDATE SET
    org_id = excluded.org_id,
    fingerprint = excluded.fingerprint,
    answer = excluded.answer,
    created_at = excluded.created_at
