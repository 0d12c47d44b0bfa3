-- Jobs that others are to wait on, kept from ending until the edges stand. In job_id order.
SELECT job_id, status FROM jobs WHERE job_id = ANY ($1::uuid[]) ORDER BY job_id FOR SHARE
