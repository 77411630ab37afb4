"""Memory: formats of items, storages, owners of buffers, mapped regions and pickling.

`dtypes` says what the bytes of an item are, `struct_items` what is indexed and how it travels, and `storage` joins
items with their owner. `mapped_regions` follows owners to the object that the memory belongs to, and names memory that
other processes open again.
"""
