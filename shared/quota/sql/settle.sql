-- See quota_settle: flushed, and nothing that others wait for is locked.
SELECT settled, sent_at, requests, tokens
  FROM quota_settle($1, $2, $3, $4, $5::float8::numeric(12, 6), $6, $7, $8, $9, $10, $11, $12::float8::numeric(12, 6), $13)
