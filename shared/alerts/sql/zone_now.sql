-- Fails for a zone PostgreSQL does not know.
SELECT now() AT TIME ZONE $1::text
