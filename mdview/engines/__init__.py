"""Engines: how accesses are carried out, one element at a time or in bulk; all agree with the mapping's definition."""
