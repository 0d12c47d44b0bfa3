SELECT job_recount($1)
