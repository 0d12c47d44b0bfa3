"""The chaos run: thousands of jobs through the real system while its processes are killed and its connections cut.

`python -m tests.chaos --seed N --jobs 10000 --seconds 300` runs it by hand. What repeats from a seed and what cannot is said in
`intentions`; what must hold at the end is in `verdict`.
"""
