-- Put down a portion of what an import will do.
INSERT INTO import_steps (org_id, number, steps)
VALUES (:org_id, :number, :steps)
