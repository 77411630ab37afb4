"""Accessors: what an access does. `base` has the interface, every other module one policy."""
