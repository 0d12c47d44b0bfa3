-- Settles open edges onto jobs that have ended already; see job_settle.
SELECT job_settle($1::uuid[])
