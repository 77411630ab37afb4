"""Interop: views of what other libraries hold. Each partner has its module and is loaded by its user only."""
