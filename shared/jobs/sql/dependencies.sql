-- A dependency may be pruned before who waited on it: its row is null then.
SELECT d.depends_on, j.job_type, j.status, d.required
  FROM job_dependencies d LEFT JOIN jobs j ON j.job_id = d.depends_on
 WHERE d.job_id = $1 ORDER BY j.created_at, j.job_type, d.depends_on
