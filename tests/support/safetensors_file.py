"""Weight files, in nothing but Python: {name: [dtype, shape, numbers]}."""

import json
import struct


def read_tensors(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<Q", data)
    out = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            code = {"F32": "f", "F64": "d"}[entry["dtype"]]
            count = (end - begin) // struct.calcsize(code)
            out[name] = [entry["dtype"], entry["shape"],
                         list(struct.unpack_from(f"<{count}{code}", data, 8 + size + begin))]
    return out


def write_tensors(path, tensors):
    header, data = {}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        content = struct.pack(f"<{len(numbers)}{'f' if dtype == 'F32' else 'd'}", *numbers)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
