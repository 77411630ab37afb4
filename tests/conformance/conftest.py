"""Makes the adapters beside this file importable from its folders, also when one of them is tested alone."""
