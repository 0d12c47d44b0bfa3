from functions.reaper.handler import handler

__all__ = ["handler"]
