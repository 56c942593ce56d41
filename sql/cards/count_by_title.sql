-- How many active cards of an organization have a text in their titles: all are looked at, so it is for texts of many.
SELECT count(*)
FROM cards
WHERE org_id = :org_id AND archived_at IS NULL AND instr(lower(title), lower(:title_part)) > 0
