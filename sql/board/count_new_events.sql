-- How many events an organization had after one, up to a bound, and which nouns they were about.
SELECT count(*) AS count, json_group_array(DISTINCT noun) AS nouns
FROM (
    SELECT substr(type, 1, instr(type, '.') - 1) AS noun
    FROM events
    WHERE org_id = :org_id AND id > :since AND id <= :at
    LIMIT :limit
)
