#include "src/emit/python/runtime_text.h"

namespace vecc::python {

std::string head_text(bool uses_functional) {
  std::string text =
      R"py("""A neuron graph as a PyTorch module; made by vecc, README.md says how to use it."""

import argparse
import json
import math
import os
import sys
import zlib
from decimal import Decimal
from pathlib import Path

import torch
)py";
  if (uses_functional) text += "import torch.nn.functional as F\n";
  return text + "from torch import nn\n\nFOLDER = Path(__file__).resolve().parent\n\n";
}

std::string safetensors_text() {
  return R"py(
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16,
          "BF16": torch.bfloat16, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8}


# A file of vecc's begins with the CRC-32 of its bytes, computed with zeros as its digits.
CHECKSUM_MARK = b'{"__metadata__":{"vecc.crc32":"'
CHECKSUM = slice(8 + len(CHECKSUM_MARK), 8 + len(CHECKSUM_MARK) + 8)


def checksum_of(data):
    return b"%08x" % zlib.crc32(data)


def read_safetensors(path):
    """The tensors of a file by name, and its metadata."""
    data = bytearray(Path(path).read_bytes())
    if data[8:CHECKSUM.start] == CHECKSUM_MARK:
        stated, data[CHECKSUM] = bytes(data[CHECKSUM]), b"0" * 8
        if checksum_of(data) != stated:
            raise ValueError(f"{path}: its bytes have the CRC-32 {checksum_of(data).decode()}, "
                             f"expected {stated.decode(errors='replace')}: it is damaged; "
                             "copy or write it again")
    length = int.from_bytes(data[:8], "little")
    header, tensors = json.loads(data[8:8 + length]), {}
    metadata = header.pop("__metadata__", {})
    metadata.pop("vecc.crc32", None)
    for name, entry in header.items():
        begin, end = (8 + length + at for at in entry["data_offsets"])
        dtype = DTYPES[entry["dtype"]]
        flat = torch.frombuffer(data[begin:end], dtype=dtype) if end > begin else torch.empty(0)
        tensors[name] = flat.to(dtype).view(entry["shape"])
    return tensors, metadata


def write_safetensors(tensors, metadata, path):
    """Tensors of one type by name; the file appears whole or not at all."""
    header, data = {"__metadata__": {"vecc.crc32": "0" * 8, **metadata}}, bytearray()
    for name, tensor in tensors.items():
        kind = next(key for key, dtype in DTYPES.items() if dtype == tensor.dtype)
        block = bytearray(tensor.numel() * tensor.element_size())
        if block:
            torch.frombuffer(block, dtype=tensor.dtype).copy_(tensor.detach().flatten())
        header[name] = {"dtype": kind, "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = bytearray(len(text).to_bytes(8, "little") + text) + data
    data[CHECKSUM] = checksum_of(data)
    temporary = f"{path}.tmp-{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
)py";
}

std::string weight_methods_text() {
  return R"py(
    def load_weights(self, path):
        """Takes the weights of a file of `vecc --save-weights`, or of save_weights()."""
        tensors, metadata = read_safetensors(path)
        ours, theirs = self.metadata.get("vocabularies"), metadata.get("vocabularies")
        if ours and theirs and ours != theirs:
            raise ValueError(f"{path}: labels, relations or classes have other numbers than here; "
                             "vecc --load-weights takes weights by name")
        with torch.no_grad():
            for attribute, name in WEIGHTS.items():
                parameter = getattr(self, attribute)
                if name not in tensors or tensors[name].shape != parameter.shape:
                    raise ValueError(f"{path}: no {name!r} of shape {list(parameter.shape)}")
                parameter.copy_(tensors[name])

    def save_weights(self, path):
        """Writes the weights for `vecc --load-weights`."""
        tensors = {name: getattr(self, attribute) for attribute, name in WEIGHTS.items()}
        write_safetensors(tensors, self.metadata, path)
)py";
}

namespace {

constexpr const char* kLosses = R"py(
class MinusLog(torch.autograd.Function):
    """-ln p, at most 100; its derivative is -1 / p, at least -1e10."""

    @staticmethod
    def forward(ctx, p):
        ctx.save_for_backward(p)
        return -p.clamp(min=math.exp(-100)).log()

    @staticmethod
    def backward(ctx, g):
        (p,) = ctx.saved_tensors
        return -g / p.clamp(min=1e-10)


def squared_diff(output, target):
    """The mean over a sample's elements of (output - target)^2."""
    return (output - target).square().mean(1)


def absolute_diff(output, target):
    """The mean over a sample's elements of |output - target|."""
    return (output - target).abs().mean(1)


def crossentropy(output, target):
    """Of probabilities; a single one is that of the class target > 0.5."""
    if output.shape[1] > 1:
        return (target * MinusLog.apply(output)).sum(1)
    return MinusLog.apply(torch.where(target > 0.5, output, 1 - output)).squeeze(1)


def softentropy(output, target):
    """The cross-entropy of logits$LOGITS."""
    if output.shape[1] > 1:
        return $CATEGORICAL.sum(1)
    return binary_crossentropy(output, target)


def binary_crossentropy(output, target):
    """The cross-entropy of each element's logit$BINARY_LOGITS, added up."""
    return $BINARY.sum(1)


LOSSES = {loss.__name__: loss for loss in (
    squared_diff, absolute_diff, crossentropy, softentropy, binary_crossentropy)}
)py";

std::string replace(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string loss_functions_text(const PythonLoss& loss) {
  if (loss.loss == Loss::MarginRanking) return "";
  const bool softmax = loss.outputs == OutputFunction::Softmax;
  const bool sigmoid = loss.outputs == OutputFunction::Sigmoid;
  std::string text =
      replace(kLosses, "$LOGITS", softmax ? ", of which outputs are the softmax" : "");
  text = replace(
      text, "$CATEGORICAL",
      softmax ? "(target * MinusLog.apply(output))" : "-(target * torch.log_softmax(output, 1))");
  text = replace(text, "$BINARY_LOGITS", sigmoid ? ", of which outputs are the sigmoid" : "");
  return replace(text, "$BINARY",
                 sigmoid ? "(target * MinusLog.apply(output) + (1 - target) * "
                           "MinusLog.apply(1 - output))"
                         : "F.binary_cross_entropy_with_logits(output, target, "
                           "reduction=\"none\")");
}

namespace {

constexpr const char* kPrinting = R"py(

def sample_lines():
    """The text of every sample: its id and its target."""
    data, _ = read_safetensors(FOLDER / "data.safetensors")
    return bytes(data["sample_lines"].tolist()).decode().split("\n")


def text_of_number(value, single):
    """The shortest decimal that reads back as the same value; plain unless 1e5 is shorter."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    if single:
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if torch.tensor(float(text), dtype=torch.float32).item() == value:
                break
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    digits = "".join(map(str, digits))
    if digits == "0":
        return "-0" if math.copysign(1, value) < 0 else "0"
    power = len(digits) - 1 + exponent  # d.ddd times 10 to the power
    scientific = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    scientific += f"e{'-' if power < 0 else '+'}{abs(power):02}"
    if exponent >= 0:
        plain = str(abs(int(value)))  # every digit
    elif power >= 0:
        plain = digits[:power + 1] + "." + digits[power + 1:]
    else:
        plain = "0." + "0" * (-power - 1) + digits
    return "-" * sign + (plain if len(plain) <= len(scientific) else scientific)


def text_of_value(value, single):
    if isinstance(value, list):
        return "[" + ", ".join(text_of_value(entry, single) for entry in value) + "]"
    return text_of_number(value, single)


def print_outputs(model):
    """A line a sample, as vecc prints it: id, value, target."""
    with torch.no_grad():
        outputs = model()
    single = model.one.dtype == torch.float32
    values = [None] * SAMPLE_COUNT
    for rows, samples in model.by_sample(outputs):
        for sample, value in zip(samples.tolist(), rows.tolist()):
            values[sample] = text_of_value(value, single)
    for line, value in zip(sample_lines(), values):
        name, target = line.split("\t")
        print(name, value, target, sep="\t")
)py";

constexpr std::pair<std::string_view, std::string_view> kOptimizers[] = {
#define VECC_OPTIMIZER(enumerator, text, formula, torch, ...) {text, torch},
#include "vecc/optimizers.def"
};

constexpr const char* kTraining = R"py(
OPTIMIZERS = {$OPTIMIZERS}


def train(model, epochs, rate, optimizer="adam", loss=LOSS):
    """Full batches, as `vecc --train`; prints every epoch's loss before its step."""
    steps = OPTIMIZERS[optimizer](model.parameters(), lr=rate)
    for epoch in range(1, epochs + 1):
        steps.zero_grad()
        error = model.loss(name=loss)
        error.backward()
        steps.step()
        print(f"epoch {epoch}/{epochs}  loss {error.item():.5g}", file=sys.stderr)
)py";

constexpr const char* kMain = R"py(

def main():
    parser = argparse.ArgumentParser(description="Prints the outputs by sample: id, value, target.")
    parser.add_argument("--dtype", choices=["f32", "f64"], default="$DTYPE")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1")
    parser.add_argument("--load-weights", metavar="FILE", help="safetensors of vecc")
    parser.add_argument("--save-weights", metavar="FILE", help="of the weights in the end")
$TRAIN_OPTIONS    options = parser.parse_args()
    model = Model(dtype={"f32": torch.float32, "f64": torch.float64}[options.dtype])
    if options.load_weights:
        model.load_weights(options.load_weights)
    model.to(options.device)
$TRAIN    if options.save_weights:
        model.save_weights(options.save_weights)
    print_outputs(model)


if __name__ == "__main__":
    main()
)py";

constexpr const char* kTrainOptions =
    R"py(    parser.add_argument("--train", action="store_true", help="learn the weights before")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
    parser.add_argument("--optimizer", choices=list(OPTIMIZERS), default="adam")
    parser.add_argument("--loss", choices=list(LOSSES), default=LOSS)
)py";

constexpr const char* kTrain = R"py(    if options.train:
        train(model, options.epochs, options.lr, options.optimizer, options.loss)
)py";

// Those that torch.optim has.
std::string optimizers_text() {
  std::string text;
  for (const auto& [name, torch] : kOptimizers) {
    if (torch.empty()) continue;
    text += (text.empty() ? "\"" : ",\n              \"") + std::string(name) + "\": torch.optim.";
    text += torch;
  }
  return text;
}

}  // namespace

std::string main_text(bool has_loss, bool is_double) {
  std::string text = replace(kMain, "$DTYPE", is_double ? "f64" : "f32");
  text = replace(text, "$TRAIN_OPTIONS", has_loss ? kTrainOptions : "");
  text = replace(text, "$TRAIN", has_loss ? kTrain : "");
  if (!has_loss) return kPrinting + text;
  return kPrinting + replace(kTraining, "$OPTIMIZERS", optimizers_text()) + text;
}

std::string readme_text(bool has_loss) {
  std::string text = R"py(# A PyTorch module made by vecc

`model.py` holds one `torch.nn.Module`, `Model`: the optimized program of a neuron graph. It needs
torch and nothing else.

| file | |
|---|---|
| `model.py` | the module, and a command line |
| `weights.safetensors` | its weights, under the graph's names: as `vecc --save-weights` writes them |
| `data.safetensors` | constants, row numbers, samples, targets |

```
python model.py                                        outputs by sample: id, value, target
)py";
  if (has_loss) {
    text += R"py(python model.py --train --epochs 200 --lr 0.01 --save-weights w.safetensors
                                                       learns the weights with Adam
)py";
  }
  text +=
      R"py(python -c "import torch, model; torch.export.save(torch.export.export(model.Model(), ()), 'model.pt2')"
                                                       exports the forward pass
```

In Python:

```
import torch
from model import Model

model = Model()                              # Model(dtype=torch.float64), .to("cuda")
outputs = model()                            # in the order of the samples
compiled = torch.compile(model, fullgraph=True)
model.load_weights("w.safetensors")          # of vecc --save-weights
model.save_weights("new.safetensors")        # for vecc --load-weights
)py";
  if (has_loss) text += "model.loss().backward()                      # torch's own gradients\n";
  text += R"py(```

Row numbers and constants are part of the structure that vecc compiled: only the weights may change.
)py";
  return text;
}

}  // namespace vecc::python
