-- Append only.
INSERT INTO usage (provider, model, job_id, place_id, outcome, input_tokens, output_tokens, cost_usd, milliseconds)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::float8::numeric(12, 6), $9)
