"""Memory is what elements lie in: the items of one format in a row, the objects that own them, and how they travel.

`dtypes` says what the bytes of an item are, `struct_items` what is indexed and how it travels, and `storage` joins
items with their owner. `mapped_regions` follows owners to the object that the memory belongs to, and names memory that
other processes open again.
"""
