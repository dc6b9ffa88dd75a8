"""numpy_test.py VECC: what NumPy writes, `vecc weights convert` gives back, bit by bit."""

import io
import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib
from pathlib import Path

import numpy as np

VECC = sys.argv.pop()
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
         "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


def read_safetensors(path):
    """By the format's own description: 8 bytes of length, JSON, data; of all, the CRC-32."""
    data = path.read_bytes()
    mark = b'{"__metadata__":{"vecc.crc32":"'
    digits = slice(8 + len(mark), 16 + len(mark))
    assert data[8:digits.start] == mark, data[:100]
    blank = data[:digits.start] + b"0" * 8 + data[digits.stop:]
    assert data[digits] == b"%08x" % zlib.crc32(blank)
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    del header["__metadata__"]
    arrays = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        arrays[name] = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def random_array(random, dtype, shape):
    """Any bits, NaN payloads too; of truth values, truth values."""
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    data = bytes(b & 1 for b in random.bytes(size)) if dtype == "?" else random.bytes(size)
    return np.frombuffer(data, dtype).reshape(shape)


class NumpyTest(unittest.TestCase):
    def convert(self, path):
        target = Path(path).with_suffix(".safetensors")
        result = subprocess.run([VECC, "weights", "convert", path, target], capture_output=True,
                                text=True, check=False)
        return result, target

    def check(self, arrays, path):
        result, target = self.convert(path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        read = read_safetensors(target)
        self.assertEqual(set(read), set(arrays))
        for name, array in arrays.items():
            with self.subTest(name=name):
                self.assertEqual(read[name].shape, array.shape)
                little = array.astype(array.dtype.newbyteorder("<"))
                self.assertEqual(read[name].tobytes(), little.tobytes())

    def test_archives(self):
        random = np.random.default_rng(7)
        arrays = {}
        for dtype in TYPES.values():
            for order in "<>":
                for i, shape in enumerate([(), (5,), (3, 1, 4), (2, 0), (1, 1, 1)]):
                    array = random_array(random, dtype, shape).astype(
                        np.dtype(dtype).newbyteorder(order))
                    arrays[f"{dtype}{order}{i}"] = array
                    arrays[f"f{dtype}{order}{i}"] = np.asfortranarray(array).reshape(shape)
        arrays["caf\u00e9/\u4e2d\U0001f600"] = np.ones(3)
        with tempfile.TemporaryDirectory() as folder:
            for save in (np.savez, np.savez_compressed):
                path = Path(folder) / f"{save.__name__}.npz"
                save(path, **arrays)
                self.check(arrays, path)

    def test_single_arrays_in_every_version(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in ((1, 0), (2, 0), (3, 0)):
                path = Path(folder) / f"v{version[0]}.npy"
                array = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
                with open(path, "wb") as file:
                    np.lib.format.write_array(file, array, version)
                self.check({path.stem: array}, path)

    def test_large_compressed_archive(self):
        arrays = {"w": np.random.default_rng(1).normal(size=(500, 30, 30)), "z": np.zeros(10**6)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.npz"
            np.savez_compressed(path, **arrays)
            self.check(arrays, path)

    def test_archive_written_to_a_stream(self):
        """Sizes behind the data, as in zip files that are written to a pipe."""
        class Pipe(io.RawIOBase):
            def __init__(self):
                super().__init__()
                self.data = b""

            def writable(self):
                return True

            def write(self, data):
                self.data += bytes(data)
                return len(data)

        array = np.arange(6.0)
        pipe = Pipe()
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("w.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.npz"
            path.write_bytes(pipe.data)
            self.check({"w": array}, path)

    def test_bad_object_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "w.npz"
            np.savez(path, good=np.ones(1), bad=np.array([{"a": 1}], dtype=object))
            result, target = self.convert(path)
            self.assertEqual(result.returncode, 3)
            self.assertIn('entry "bad.npy": error: is an array of Python objects', result.stderr)
            self.assertFalse(target.exists())


if __name__ == "__main__":
    unittest.main()
