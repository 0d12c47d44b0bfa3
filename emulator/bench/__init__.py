"""What the queue costs, measured on this machine beside the least that PostgreSQL would take for the same.

Every figure is taken in turns with its raw limit, on one server, and told as the ratio of the two: a machine's own speed, which
drifts from hour to hour, falls out of it.
"""
