SELECT pending, running, done, done_estimated, dead, cancelled FROM job_counts()
