from functions.alert_flusher.handler import handler

__all__ = ["handler"]
