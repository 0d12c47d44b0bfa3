"""Functions that the emulator is tried with."""
