SELECT job_cancelled($1, $2, $3)
