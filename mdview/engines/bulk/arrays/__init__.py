"""Bulk operations on NumPy arrays. What is here is loaded where it pays, and NumPy with it."""
