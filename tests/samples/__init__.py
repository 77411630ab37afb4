"""Samples: views of every kind, and every way to work on a whole one, for tests and benchmarks.

A sample is a layout over data of a format, seen through an accessor and perhaps rearranged. Layouts and accessors are
found among the public names, those of the functions are listed once; so what is new joins by itself, or a test says
that it has no example. Begin with `views`; `functions` says what may be done with one.
"""
