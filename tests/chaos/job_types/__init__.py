"""The run's own job types, in the shape of `shared/jobs/types`; `tests.chaos.registered` adds this folder to that package."""
