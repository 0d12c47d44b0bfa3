-- One page, newest first, after the (created_at, job_id) of the last row seen. Each filter may be NULL.
SELECT * FROM jobs
 WHERE ($1::smallint IS NULL OR status = $1) AND ($2::smallint IS NULL OR job_type = $2) AND ($3::uuid IS NULL OR place_id = $3)
   AND ($4::timestamptz IS NULL OR (created_at, job_id) < ($4, $5::uuid))
 ORDER BY created_at DESC, job_id DESC LIMIT $6
