"""Lazy views are metadata alone: boxes of strided positions, and chains of them that any reshape extends."""
