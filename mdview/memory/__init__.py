"""Memory: formats of items, storages, owners of buffers, mapped regions and pickling.

`data_types` and `item_formats` say what the bytes of an item are, `struct_items` and `field_items` what is indexed, and
`storage` joins items with their owner, which `exporters` asks for its bytes. `dlpack_capsules` gives tensors the types
that NumPy does not have. `mapped_regions` follows owners to the object that the memory belongs to, and names memory
that other processes open again.
"""
