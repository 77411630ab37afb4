"""Layouts: where an index lies. `base` has the interface, every other module one layout."""
