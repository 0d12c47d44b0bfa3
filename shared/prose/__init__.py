"""Text that is published: what of it can be seen, what speaks to a model, and what claims more than can be known."""
