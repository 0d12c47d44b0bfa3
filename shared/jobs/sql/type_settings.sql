SELECT s.job_type, s.name, s.paused, s.max_in_flight,
       (SELECT count(*) FROM jobs r WHERE r.status = 2 AND r.job_type = s.job_type) AS running
  FROM job_type_settings s ORDER BY s.job_type
