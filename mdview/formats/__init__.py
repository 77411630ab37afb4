"""Formats of files and libraries by name: each is a function from extents to the mapping of an array in that format.

``formats.bmp((40, 30, 3))`` is the mapping of the pixels of a BMP file. The notation of layouts has the same names:
``"bmp (40, 30, 3)"``. Options of a format are further arguments. `expression_of` returns the text of a mapping in the
notation, and `view_bytes` makes a view of a buffer from a mapping or its text. The docs have a page for each group
of formats, such as images or tensors.
"""

from mdview import _on_first_use

_FAMILIES = (
    "aosoa arrow_bits arrow_tensor awq bayer bc1 bitplanes bitsandbytes blosc2 bmp bmp_1bit compressed_tensors "
    "cublaslt cute dds dicom_pixels ellpack exr_scanlines fftpack_half fftw_inplace fits fortran_records fractal_nz "
    "geohash gguf gptq hdf5_chunk healpix_nested i420 lapack lapack_band lapack_packed lapack_rfp "
    "lapack_tridiagonal marlin matlab mfma_accumulator mgh mma mrc mx_scales n5_block nc1hwc0 nchw_vect_c "
    "netcdf3_record neuroglancer_chunk nifti npy nrrd nv12 onednn onnx_int4 packbits pbm pfm pnm quadkey scalapack "
    "scipy_banded scipy_dia segy sgi shuffle squareform tga tiff_strips tiff_tiles tiledb tiledb_file tma_swizzle "
    "wav wgmma_accumulator xla yuyv zarr_chunk zarr_shard"
)
"""The names of the functions, one for each format."""
_on_first_use(globals(), families=_FAMILIES)
