-- Once an attempt, the whole batch in one statement.
SELECT * FROM job_start($1::uuid[], $2::uuid[], $3::integer[], $4, make_interval(secs => $5))
