"""Memory: formats of items, storages, owners of buffers, memory-mapped files and pickling.

`data_types` and `item_formats` say what the bytes of an item are, `struct_items` and `field_items` what is indexed, and
`storage` joins items with their owner, which `exporters` asks for its bytes, and follows to the object that the memory
belongs to; it names memory that other processes open again. `dlpack_capsules` reads tensors, and gives them the types
that NumPy does not have.
"""
