-- Append only; the month's money goes up with it (quota_months), as it does for calls that go through the governor.
WITH spent AS (
    INSERT INTO usage (provider, model, job_id, place_id, outcome, input_tokens, output_tokens, cost_usd, milliseconds)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8::float8::numeric(12, 6), $9)
    RETURNING created_at, coalesce(cost_usd, 0) AS usd
)
SELECT quota_charge(created_at, usd, true) FROM spent
