"""The command line over the emulator: `local_runner.py`."""
