-- No search need index at once what was set aside.
DELETE FROM search_pending
WHERE org_id = :org_id
