"""Memory: formats of items, storages, owners of buffers, memory-mapped files and pickling.

`data_types` and `item_formats` define the bytes of an item. `struct_items` and `field_items` are sequences of items,
which `storage` joins with their owner. `exporters` returns the bytes of an exporter, finds the object that owns the
memory, and maps files, which other processes open again. `dlpack_capsules` reads DLPack tensors, and sets the item
types of exported tensors if NumPy does not have these types.
"""
