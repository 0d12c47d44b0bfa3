"""Collections across places: how channels go, and which place is to be collected again. No value of a fact is read here."""
