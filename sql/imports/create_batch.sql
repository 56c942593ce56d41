-- Store a batch of the steps of an import.
INSERT INTO import_steps (org_id, number, steps)
VALUES (:org_id, :number, :steps)
