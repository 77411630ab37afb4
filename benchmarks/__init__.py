"""Benchmarks of mdview: each module has a `main()` that returns reports; `python -m benchmarks` runs all."""
