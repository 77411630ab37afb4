"""Measurements of mdview, each one module with a `main()`; `python -m benchmarks` runs them."""
