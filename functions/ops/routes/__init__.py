"""The routes, one concern a module."""
