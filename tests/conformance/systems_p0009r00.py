"""P0009r00, the polymorphic multidimensional array view: every case of the document."""

import copy
import threading
from array import array
from math import prod
from operator import setitem

import places
import systems_adapter as systems

import mdview as md
from mdview import polymorphic

PROPERTIES = {
    "void": None,
    "layout_right": md.LayoutRight(),
    "layout_left": md.LayoutLeft(),
    "layout_stride": md.LayoutStride(),
    "tiled": md.LayoutTiled(2, 2),
    "bounds_checking": md.CheckedAccessor,
    "atomic": md.AtomicAccessor,
    "random": md.accessors.RandomAccessAccessor,
    "restrict": md.accessors.RestrictAccessor,
    "non_temporal": md.accessors.NonTemporalAccessor,
    "memory_space": md.accessors.MemorySpaceAccessor,
}
NAMES = {
    md.LayoutRight: "layout_right",
    md.LayoutLeft: "layout_left",
    md.LayoutStride: "layout_stride",
    md.LayoutTiled: "tiled",
    type(None): None,
}


def dense(layout, extents):
    return places.facts(md.Mapping(tuple(extents), systems.DENSE[layout]))


def padded(layout, extents, padding, inner_stride):
    order = layout.removesuffix("_padded")
    return places.facts(md.Mapping(tuple(extents), md.LayoutStride.padded(extents, padding, inner_stride, order)))


def stride(layout, extents, strides):
    return places.facts(md.Mapping(tuple(extents), md.LayoutStrideRelaxed(strides)))


def left_tiled(rank, tile):
    return md.LayoutTiled(*[tile] * rank, outer=md.LayoutLeft(), inner=md.LayoutLeft())


def tiled(layout, extents, tile):
    mapping = md.Mapping(tuple(extents), left_tiled(len(extents), tile))
    allocation = mapping.layout.allocation_size(extents)
    return places.facts(mapping) | {
        "codomain_size": allocation,
        "tiles": mapping.layout.grid(extents),
        "bijective_onto_codomain": allocation == mapping.size,
        "mapping_is_uniformly_strided": mapping.is_strided,
    }


def tile_subview(extents, tile, tile_coord):
    mapping = md.Mapping(tuple(extents), left_tiled(len(extents), tile))
    return taken(mapping, *[(t * tile, (t + 1) * tile) for t in tile_coord])


def taken(mapping, *slices):
    """A part, and where it lies: of the mapping, and by the elements of a view."""
    part, offset = md.mappings.submapping(mapping, *slices)
    view = md.subview(places.filled(mapping), *slices)
    return places.facts(part) | {"offset": offset, "positions": list(md.iteration.elements(view))}


def construct(dims, implicit_args):
    mapping = md.Mapping(polymorphic.fill_dimensions(dims, *implicit_args))
    return places.facts(mapping) | {"rank_dynamic": mapping.static_extents.count(None)}


def extent(dims, implicit_args, r):
    return {"extent": int(md.Mapping(polymorphic.fill_dimensions(dims, *implicit_args)).extent(r))}


def null_view(dims):
    view = md.MDView.null(polymorphic.fill_dimensions(dims))
    return {"extents": view.shape, "data": view.data, "size": view.size}


def make(dims, implicit_args, properties=()):
    extents = polymorphic.fill_dimensions(dims, *implicit_args)
    return polymorphic.polymorphic_view(list(range(prod(extents))), dims, *implicit_args, properties=properties)


def move(dims, implicit_args):
    view = make(dims, implicit_args)
    data = view.data
    moved = view.move()
    return {
        "moved_to": {"extents": moved.shape, "data_is_original": moved.data is data},
        "moved_from": {"extents": view.shape, "data": view.data},
    }


def copied(dims, implicit_args):
    view = make(dims, implicit_args)
    other = copy.copy(view)
    other[(0,) * other.rank] = -1
    return {
        "same_data": other.data is view.data,
        "same_extents": other.extents == view.extents,
        "write_through_copy_visible": view[(0,) * view.rank] == -1,
    }


def static_span(dims, implicit_args, layout):
    return {
        "span": md.Mapping(polymorphic.fill_dimensions(dims, *implicit_args), systems.DENSE[layout]).required_span_size
    }


def wrap(buffer_size, dims, implicit_args, layout):
    polymorphic.polymorphic_view([0] * buffer_size, dims, *implicit_args, properties=(systems.DENSE[layout],))
    return {"ok": True}


def chosen_layout(properties):
    chosen = [PROPERTIES[p] for p in properties]
    layout = polymorphic.combine_properties(*chosen).layout
    view = make([None, None], [SOME_EXTENT, SOME_EXTENT], tuple(chosen))
    return {"layout": NAMES[type(layout)], "is_regular": view.is_always_strided}


def access(dims, implicit_args, layout, properties, index):
    chosen = (systems.DENSE[layout], *[PROPERTIES[p] for p in properties])
    return {"position": make(dims, implicit_args, chosen).at(index)}


def access_bracket(dims, implicit_args, index):
    return {"position": make(dims, implicit_args)[index]}


def view_type(given):
    layout = None if given["layout"] is None else PROPERTIES[given["layout"]]
    return polymorphic.ViewType(
        given["type"], tuple(given["dims"]), given["const"], layout, frozenset(given["properties"])
    )


def sliced(dims, implicit_args, layout, slices):
    source = md.Mapping(polymorphic.fill_dimensions(dims, *implicit_args), systems.DENSE[layout])
    part, _ = md.mappings.submapping(source, *systems.slices(slices))
    return taken(source, *systems.slices(slices)) | {"dense_right": part == md.Mapping(part.extents)}


def subview_layout(layout, extents, slices):
    part, _ = md.mappings.submapping(md.Mapping(tuple(extents), systems.DENSE[layout]), *systems.slices(slices))
    return places.facts(part) | {"same_dense_layout": part.layout == systems.DENSE[layout]}


SOME_EXTENT = 4
"""Where a question about types names no extents."""


def iterator_available(dims, layout, properties):
    chosen = (systems.DENSE[layout], *[PROPERTIES[p] for p in properties])
    return {"available": polymorphic.has_iterators(make(dims, [SOME_EXTENT] * dims.count(None), chosen))}


def iterator_range(dims, implicit_args, layout):
    flat = polymorphic.flat_range(make(dims, implicit_args, (systems.DENSE[layout],)))
    return {"begin": flat.start, "end": flat.stop}


def isomorphic(extents, strides):
    mapping = md.Mapping(tuple(extents), md.LayoutStrideRelaxed(strides))
    assert polymorphic.is_isomorphic(mapping) == (mapping.is_unique and mapping.is_exhaustive)
    return places.facts(mapping) | {"size_equals_span": mapping.size == mapping.required_span_size}


def atomic(buffer, index, ops):
    data = array("q", buffer)
    view = polymorphic.polymorphic_view(data, (None,), len(data), properties=(md.AtomicAccessor,))
    return {"returns": [getattr(view[index], name)(*arguments) for name, *arguments in ops], "final": data[index]}


def atomic_threads(threads, increments_per_thread, start):
    data = [start]
    view = polymorphic.polymorphic_view(data, (None,), 1, properties=(md.AtomicAccessor,))

    def work():
        for _ in range(increments_per_thread):
            view[0] += 1

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"final": data[0]}


def atomic_proxy(properties):
    view = polymorphic.polymorphic_view([5, 6], (None,), 2, properties=[PROPERTIES[p] for p in properties])
    return {
        "reference_is_proxy": not isinstance(view[0], int),
        "iterator_available": polymorphic.has_iterators(view),
        "value_type_is_element": isinstance(view[0].load(), int),
    }


def const_view(op, element_const=False, view_const=False):
    """No view can be made to view something else; P0009r00's may unless it is const."""
    data = [1, 2, 3]
    view = md.MDView(data, (3,), accessor=md.ReadOnlyAccessor() if element_const else md.DefaultAccessor())
    assert view_const or op != "reassign_view"
    ask = {
        "read": view.tolist,
        "write": lambda: setitem(view, 1, 9),
        "base_write_seen": lambda: setitem(data, 1, 9),
        "reassign_view": lambda: setattr(view, "mapping", md.Mapping((2,))),
    }[op]
    ask()
    return {"ok": view.tolist() == data}


def hint(properties):
    chosen = [PROPERTIES[p] for p in properties]
    view = polymorphic.polymorphic_view(list(range(6)), (None, 3), 2, properties=chosen)
    return {
        "values_unchanged": view.tolist() == [[0, 1, 2], [3, 4, 5]],
        "positions_unchanged": view.mapping == md.Mapping((2, 3)),
    }


HANDLERS = {
    "layout.right": dense,
    "layout.left": dense,
    "layout.native": dense,
    "layout.right_padded": padded,
    "layout.left_padded": padded,
    "layout.stride": stride,
    "layout.tiled": tiled,
    "layout.tiled_tile_subview": tile_subview,
    "construct": construct,
    "extent": extent,
    "null_view": null_view,
    "move": move,
    "copy": copied,
    "static_span": static_span,
    "wrap": wrap,
    "property.implicit_dimensions": lambda rank: {"dims": polymorphic.implicit_dimensions(rank)},
    "property.dimension": lambda **given: {"dims": polymorphic.dimension(*given["dimension"])},
    "property.dimension_zero_ambiguity": lambda **given: {
        "dims": polymorphic.dimension(*given["declared_explicit_zero"])
    },
    "property.void": chosen_layout,
    "property.layout": chosen_layout,
    "property.conflict": chosen_layout,
    "property.hint": hint,
    "access": access,
    "access_bracket": access_bracket,
    "is_assignable": lambda to, source: {"is_assignable": polymorphic.is_assignable(view_type(to), view_type(source))},
    "subview": sliced,
    "subview_layout": subview_layout,
    "iterator_available": iterator_available,
    "iterator_range": iterator_range,
    "isomorphic": isomorphic,
    "atomic": atomic,
    "atomic_threads": atomic_threads,
    "atomic_proxy": atomic_proxy,
    "const_view": const_view,
}
