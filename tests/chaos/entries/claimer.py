from functions.claimer.handler import handler

__all__ = ["handler"]
