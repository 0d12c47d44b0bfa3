SELECT job_id, work_ready FROM job_complete($1::uuid[], $2::uuid[], $3::integer[], $4::jsonb[])
