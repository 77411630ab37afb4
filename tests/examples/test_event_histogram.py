"""The event histogram example: what it makes of raw buffers is what NumPy makes of them, pixel by pixel."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from mdview import errors

SCRIPT = Path(__file__).parents[2] / "examples" / "event_histogram.py"
SPEC = importlib.util.spec_from_file_location("event_histogram", SCRIPT)
example = importlib.util.module_from_spec(SPEC)
sys.modules["event_histogram"] = example  # where dataclasses look for their module
SPEC.loader.exec_module(example)

ROWS, COLUMNS = 5, 7
CHANNELS = example.Channels(1.0, 0.25, 12)


@pytest.fixture(scope="module")
def recording():
    return example.record(ROWS, COLUMNS)


@pytest.fixture(scope="module")
def pixels(recording):
    """Times and weights of each pixel, cut out of the buffers by hand."""
    index = np.frombuffer(recording.index, "<i8")
    times, weights = np.frombuffer(recording.times, ">f4"), np.frombuffer(recording.weights, "<f8")
    found = {}
    for i in range(ROWS):
        for j in range(COLUMNS):
            number = j * ROWS + (ROWS - 1 - i)
            held = slice(index[number], index[number + 1])
            found[i, j] = times[held].astype(float), weights[held]
    return found


def test_pixels_hold_their_events_where_the_buffers_have_them(recording, pixels):
    times, weights = example.load(recording)
    assert times.extents == weights.extents == (ROWS, COLUMNS)
    for pixel, (expected_times, expected_weights) in pixels.items():
        assert times[pixel].tolist() == expected_times.tolist()
        assert weights[pixel].tolist() == expected_weights.tolist()
    with pytest.raises(errors.ReadOnlyError):
        times.events[0] = 1.0
    assert any(len(held) == 0 for held, _ in pixels.values())
    assert sum(len(held) for held, _ in pixels.values()) == len(recording.times) // 4 > 100


def test_wavelengths_are_times_over_lengths(recording, pixels):
    lengths = example.path_lengths(ROWS, COLUMNS)
    found = example.wavelengths(example.load(recording)[0], lengths)
    for pixel, (times, _) in pixels.items():
        assert found[pixel].tolist() == pytest.approx(
            (example.PLANCK_OVER_MASS * times * 1e-6 / lengths[pixel]).tolist()
        )
    assert lengths[2, 3] == example.FLIGHT
    assert lengths[0, 0] == pytest.approx((100 + 4e-4 * 13) ** 0.5)


def test_an_image_sums_weights_and_a_spectrum_sorts_them(recording, pixels):
    times, weights = example.load(recording)
    events = example.wavelengths(times, example.path_lengths(ROWS, COLUMNS))
    picture, spectra = example.image(weights), example.spectra(events, weights, CHANNELS)
    edges = 1.0 + 0.25 * np.arange(13)
    for pixel, (_, held) in pixels.items():
        assert picture[pixel] == pytest.approx(held.sum())
        expected, _ = np.histogram(events[pixel].tolist(), edges, weights=held)
        assert spectra[pixel].tolist() == pytest.approx(expected.tolist())


def test_what_no_channel_has_is_left_out(recording):
    times, weights = example.load(recording)
    events = example.wavelengths(times, example.path_lengths(ROWS, COLUMNS))
    assert not np.asarray(example.spectra(events, weights, example.Channels(9.0, 1.0, 2))).any()
    assert [CHANNELS.of(w) for w in (0.99, 1.0, 1.24, 1.25, 3.99, 4.0)] == [None, 0, 0, 1, 11, None]


def test_the_example_draws_and_compares(capsys):
    assert example.main(["--rows", "6", "--columns", "8"]) == 0
    printed = capsys.readouterr().out
    assert "events in 6 x 8 pixels" in printed
    assert printed.count("Å") == 13
    assert "@@" in printed
    assert "All events are in the spectrum." in printed


def test_events_that_are_lost_are_told(capsys, monkeypatch):
    monkeypatch.setattr(example, "Channels", lambda *_: CHANNELS.__class__(2.0, 0.1, 3))
    assert example.main(["--rows", "6", "--columns", "8"]) == 1
    assert "Some events lie outside the channels." in capsys.readouterr().out


def test_a_detector_without_pixels_has_no_picture():
    times, weights = example.load(example.record(0, 4))
    assert times.events.size == 0
    assert example.shaded(example.image(weights)) == example.bars([], CHANNELS) == ""
