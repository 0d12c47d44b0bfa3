"""Adapters, one a peer. Each is a program of its own that runs in the peer's own environment and answers orders on its input."""
