"""Memory: formats of items, storages, owners of buffers, memory-mapped files and pickling.

`data_types` and `item_formats` define the bytes of an item. `struct_items` and `field_items` are sequences of items,
which `storage` joins with their owner. `exporters` gets the bytes of an owner, finds the object that the memory belongs
to, and maps files, which other processes open again. `dlpack_capsules` reads tensors, and gives exported ones the types
that NumPy does not have.
"""
