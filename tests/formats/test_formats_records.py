"""Arrays in files of science, compared with the bytes that their libraries write."""

import struct
from io import BytesIO

import numpy as np
import pytest
from owners import RANDOM, agrees, formats, noise, numbers, shapes


def test_fits_counts_its_first_axis_fastest(tmp_path):
    fits = pytest.importorskip("astropy.io.fits", reason="astropy is not installed")
    for shape in shapes((1, 2, 3), 12):
        values = numbers(shape)
        file = BytesIO()
        fits.PrimaryHDU(values.T).writeto(file)
        agrees(formats.fits(shape), file.getvalue(), ">i4", values, offset=2880)


def test_nifti_counts_its_first_axis_fastest():
    nibabel = pytest.importorskip("nibabel", reason="nibabel is not installed")
    for shape in shapes((3, 4), 12):
        values = numbers(shape)
        image = nibabel.Nifti1Image(values, np.eye(4))
        data = image.to_bytes()
        offset = int(struct.unpack("<f", data[108:112])[0])
        agrees(formats.nifti(shape), data, "<i4", values, offset=offset)


def test_mgh_is_big_endian_behind_284_bytes():
    nibabel = pytest.importorskip("nibabel", reason="nibabel is not installed")
    for shape in shapes((3,), 6):
        values = numbers(shape)
        data = nibabel.MGHImage(values, np.eye(4)).to_bytes()
        agrees(formats.mgh((*shape, 1)), data, ">i4", values[..., None], offset=284)


@pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow")  # pynrrd 1.1.3 under Python 3.12 and later
def test_nrrd_counts_its_first_size_fastest(tmp_path):
    nrrd = pytest.importorskip("nrrd", reason="pynrrd is not installed")
    for shape in shapes((1, 2, 3), 12):
        values, path = numbers(shape), tmp_path / "a.nrrd"
        nrrd.write(str(path), values, {"encoding": "raw", "endian": "little"})
        header, _, data = path.read_bytes().partition(b"\n\n")
        assert f"sizes: {' '.join(map(str, shape))}".encode() in header
        agrees(formats.nrrd(shape), data, "<i4", values)


def test_mrc_has_sections_of_rows(tmp_path):
    mrcfile = pytest.importorskip("mrcfile", reason="mrcfile is not installed")
    for shape in shapes((3,), 6):
        values, path = numbers(shape, "<i2"), tmp_path / "a.mrc"
        with mrcfile.new(path, overwrite=True) as file:
            file.set_data(values)
            nz, ny, nx = (int(file.header[name]) for name in ("nz", "ny", "nx"))
        agrees(formats.mrc((nz, ny, nx)), path.read_bytes(), "<i2", values, offset=1024)


@pytest.mark.parametrize("planar", [False, True], ids=["pixels", "planes"])
def test_dicom_frames_have_pixels_or_planes(planar):
    pydicom = pytest.importorskip("pydicom", reason="pydicom is not installed")
    for frames, rows, columns in shapes((3,), 8):
        pixels = noise((frames, rows, columns, 3))
        stored = np.moveaxis(pixels, 3, 1) if planar else pixels
        data = described(pydicom, stored.tobytes(), (frames, rows, columns), 3, 8, planar=planar)
        expected = data.pixel_array.reshape(pixels.shape)
        agrees(formats.dicom_pixels(pixels.shape, planar=planar), data.PixelData, "u1", expected)


def test_dicom_of_1_bit_begins_frames_within_bytes():
    pydicom = pytest.importorskip("pydicom", reason="pydicom is not installed")
    for frames, rows, columns in shapes((3,), 8):
        size = -(-frames * rows * columns // 8)
        data = described(pydicom, noise(size + size % 2).tobytes(), (frames, rows, columns), 1, 1)
        expected = data.pixel_array.reshape((frames, rows, columns, 1))
        agrees(formats.dicom_pixels(expected.shape), data.PixelData, "uint1", expected)


def described(pydicom, memory, extents, samples, bits, *, planar=False):
    """Return a data set of pydicom with such pixel data."""
    data = pydicom.Dataset()
    data.file_meta = pydicom.dataset.FileMetaDataset()
    data.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    data.NumberOfFrames, data.Rows, data.Columns = extents
    data.SamplesPerPixel, data.PlanarConfiguration = samples, int(planar)
    data.PhotometricInterpretation = "RGB" if samples > 1 else "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = bits
    data.HighBit, data.PixelRepresentation = bits - 1, 0
    data.PixelData = memory + b"\0" * (len(memory) % 2)
    return data


def test_matlab_counts_its_first_dimension_fastest():
    scipy_io = pytest.importorskip("scipy.io", reason="SciPy is not installed")
    for shape in shapes((2, 3), 12, shortest=2):
        values, file = numbers(shape), BytesIO()
        scipy_io.savemat(file, {"a": values})
        data = file.getvalue()
        agrees(formats.matlab(shape), data[data.index(struct.pack("<ii", 5, values.nbytes)) + 8 :], "<i4", values)


@pytest.mark.parametrize("fortran_order", [False, True])
def test_npy_is_in_the_order_that_its_header_says(fortran_order):
    values, file = numbers((4, 5)), BytesIO()
    np.save(file, np.asfortranarray(values) if fortran_order else values)
    agrees(formats.npy((4, 5), fortran_order=fortran_order), file.getvalue()[-80:], "<i4", values)


@pytest.mark.parametrize(("kind", "begin"), [("<i4", 0), ("<f8", 4)])
def test_fortran_records_stand_between_lengths(tmp_path, kind, begin):
    scipy_io = pytest.importorskip("scipy.io", reason="SciPy is not installed")
    for shape in shapes((2,), 10):
        values, path = numbers(shape, kind), tmp_path / "a.unf"
        with scipy_io.FortranFile(path, "w") as file:
            for record in values:
                file.write_record(record)
        size = int(kind[-1])
        agrees(formats.fortran_records(shape, size), path.read_bytes(), kind, values, offset=begin)


def test_records_of_netcdf3_have_a_slab_of_each_variable():
    scipy_io = pytest.importorskip("scipy.io", reason="SciPy is not installed")
    for records, *extents in shapes((2, 3), 10):
        first, second = numbers((records, *extents)), numbers((records, 5), ">i2")
        file = BytesIO()
        with scipy_io.netcdf_file(file, "w") as written:
            written.createDimension("t", None)
            for r, extent in enumerate((*extents, 5)):
                written.createDimension(f"d{r}", extent)
            axes = tuple(f"d{r}" for r in range(len(extents)))
            written.createVariable("a", "i4", ("t", *axes))[:records] = first
            written.createVariable("b", "i2", ("t", f"d{len(extents)}"))[:records] = second
            written.flush()
            data = file.getvalue()
        begin = len(data) - records * (4 * first[0].size + 12)
        step = first[0].size + 3
        agrees(formats.netcdf3_record(first.shape, step), data, ">i4", first, offset=begin)
        agrees(formats.netcdf3_record(second.shape, 2 * step), data, ">i2", second, offset=begin + 4 * first[0].size)


def test_a_record_variable_of_netcdf3_that_is_alone_is_not_padded():
    scipy_io = pytest.importorskip("scipy.io", reason="SciPy is not installed")
    values, file = numbers((4, 3), ">i2"), BytesIO()
    with scipy_io.netcdf_file(file, "w") as written:
        written.createDimension("t", None)
        written.createDimension("x", 3)
        written.createVariable("a", "i2", ("t", "x"))[:4] = values
        written.flush()
        data = file.getvalue()
    agrees(formats.netcdf3_record((4, 3), 3), data, ">i2", values, offset=len(data) - 24)


def test_traces_of_segy_have_headers(tmp_path):
    segyio = pytest.importorskip("segyio", reason="segyio is not installed")
    for traces, samples in shapes((2,), 6, shortest=2):
        values, path = numbers((traces, samples), "f4"), tmp_path / "a.sgy"
        about = segyio.spec()
        about.samples, about.tracecount, about.format = np.arange(samples), traces, 5
        with segyio.create(path, about) as file:
            file.trace = values
        agrees(formats.segy(values.shape), path.read_bytes(), ">f4", values, offset=3600)


def test_frames_of_wav_have_a_sample_of_each_channel():
    wavfile = pytest.importorskip("scipy.io.wavfile", reason="SciPy is not installed")
    values, file = numbers((7, 2), "<i2"), BytesIO()
    wavfile.write(file, 8000, values)
    data = file.getvalue()
    agrees(formats.wav((7, 2)), data, "<i2", values, offset=data.index(b"data") + 8)


@pytest.mark.parametrize("permutation", [(0, 1, 2), (1, 0, 2), (2, 1, 0)], ids=str)
def test_arrow_tensors_are_permuted_as_pyarrow_reads_them(permutation):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    for rows, *stored in shapes((4,), 5, longest=5):
        values = numbers((rows, *stored))
        kind = arrow.fixed_shape_tensor(arrow.int32(), stored, permutation=permutation)
        storage = arrow.FixedSizeListArray.from_arrays(arrow.array(values.ravel()), values[0].size)
        expected = np.asarray(arrow.ExtensionArray.from_storage(kind, storage).to_tensor())
        agrees(formats.arrow_tensor(expected.shape, permutation), values, "<i4", expected)


def test_a_permutation_of_arrow_is_the_example_of_its_document():
    """Arrow, *Canonical extension types*: shape [100, 200, 500], permutation [2, 0, 1]: logical [500, 100, 200]."""
    expected = numbers((3, 5, 4, 2)).transpose(0, 3, 1, 2)
    agrees(formats.arrow_tensor((3, 2, 5, 4), (2, 0, 1)), numbers((3, 5, 4, 2)), "<i4", expected)


def test_bits_of_arrow_begin_at_the_lowest():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    bits = noise(21, levels=2)
    memory = arrow.array(bits.astype(bool)).buffers()[1].to_pybytes()
    agrees(formats.arrow_bits((21,)), memory, "uint1", bits)


def test_packbits_begins_at_the_highest():
    numcodecs = pytest.importorskip("numcodecs", reason="numcodecs is not installed")
    bits = noise(21, levels=2)
    agrees(formats.packbits((21,)), np.packbits(bits), ">uint1", bits)
    agrees(formats.packbits((21,)), numcodecs.PackBits().encode(bits.astype(bool)), ">uint1", bits, offset=1)


def test_hdf5_shuffles_bytes(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for (count,) in shapes((1,), 8, longest=40):
            values = noise(count, "<i4", 2**31)
            stored = file.create_dataset(f"{len(file)}", data=values, chunks=(count,), shuffle=True)
            memory = stored.id.read_direct_chunk((0,))[1]
            agrees(formats.shuffle((count, 4)), memory, "u1", values.view("u1").reshape(count, 4))


def test_parquet_splits_streams_of_bytes():
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    arrow = pytest.importorskip("pyarrow")
    values = noise(37, "<f4", 2**20)
    file = BytesIO()
    table = arrow.table(
        {"a": arrow.array(values)}, schema=arrow.schema([arrow.field("a", arrow.float32(), nullable=False)])
    )
    options = {"compression": "none", "use_dictionary": False, "column_encoding": {"a": "BYTE_STREAM_SPLIT"}}
    parquet.write_table(table, file, write_statistics=False, **options)
    stored = parquet.ParquetFile(file).metadata.row_group(0).column(0)
    end = stored.data_page_offset + stored.total_compressed_size
    memory = file.getvalue()[end - values.nbytes : end]
    agrees(formats.shuffle((37, 4)), memory, "u1", values.view("u1").reshape(37, 4))


def test_fftw_pads_rows_of_a_transform_in_place():
    pyfftw = pytest.importorskip("pyfftw", reason="pyfftw is not installed")
    for rows, columns in shapes((2,), 6, shortest=2):
        memory = pyfftw.zeros_aligned((rows, columns // 2 + 1), "complex128")
        real = memory.view("f8")[:, :columns]
        plan = pyfftw.FFTW(real, memory, axes=(1,))
        real[:] = values = numbers((rows, columns), "f8")
        agrees(formats.fftw_inplace((rows, columns)), memory, "f8", values)
        plan.execute()
        np.testing.assert_allclose(memory, np.fft.rfft(values), atol=1e-9)


@pytest.mark.parametrize("count", range(1, 10))
def test_fftpack_has_pairs_behind_frequency_0(count):
    fftpack = pytest.importorskip("scipy.fftpack", reason="SciPy is not installed")
    values = noise(count, "f8")
    whole, half = np.fft.rfft(values), fftpack.rfft(values)
    pairs = (count - 1) // 2
    expected = np.stack([whole.real, whole.imag], 1)[1 : pairs + 1]
    if pairs:
        memory = np.ascontiguousarray(half)
        got = formats.view_bytes(memory.tobytes(), formats.fftpack_half((pairs, 2)), "f8")
        np.testing.assert_allclose(np.asarray(got), expected, atol=1e-9)


def test_aosoa_is_an_array_of_structs_of_arrays():
    """Cabana, *Core AoSoA*: an array of structs, each of which has a short array for each member."""
    for (count,) in shapes((1,), 10, longest=40):
        vector, members = RANDOM.randint(1, 8), numbers((count, 3))
        structs = np.zeros(-(-count // vector), [(name, "<i4", (vector,)) for name in "xyz"])
        for particle, values in enumerate(members.tolist()):
            for name, value in zip("xyz", values, strict=True):
                structs[particle // vector][name][particle % vector] = value
        agrees(formats.aosoa((count, 3), vector), structs, "<i4", members)
