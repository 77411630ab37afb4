"""Memory is what elements lie in: the items of one format in a row, the objects that own them, and how they travel.

`dtypes` says what the bytes of an item are, `items` what is indexed, `storage` joins items with their owner.
`base_chain` follows owners to the object that the memory belongs to, `mapped_regions` names memory that other processes
open again, and `pickle_buffers` gives the bytes of other memory to pickles and copies.
"""
