-- Called under the place's lock, after retire_copies.
INSERT INTO copies (place_id, job_id, content, mode, reason, facts_version, prompt_version, model_version, usage)
VALUES ($1, $2, $3::text::jsonb, $4, $5, $6, $7, $8, $9::text::jsonb)
RETURNING copy_id
