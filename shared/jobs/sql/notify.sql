SELECT pg_notify('web4ai_job', '')
