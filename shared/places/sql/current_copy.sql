-- Rides on copies_one_current.
SELECT content::text AS content, mode, reason, facts_version, prompt_version, model_version, usage::text AS usage
  FROM copies
 WHERE place_id = $1 AND current
