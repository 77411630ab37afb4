"""Iteration: walks over indices, one at a time, several operands in step, or by the ranges of bins."""
