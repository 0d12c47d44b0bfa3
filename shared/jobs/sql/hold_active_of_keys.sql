-- The same, kept from ending until the transaction does: what is changed now is seen by their completion.
SELECT dedupe_key, job_id FROM jobs WHERE dedupe_key = ANY ($1::text[]) AND status IN (1, 2) 
 ORDER BY waiting_on > 0, job_id FOR SHARE
