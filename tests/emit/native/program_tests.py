"""What every emitted program does, whatever its language: the same bits as vecc itself, other
weights, bad files. A language's own test is a subclass of Programs, with a builder."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from emitted import run, text_files, unpack

sys.path.append(str(Path(__file__).parents[3] / "tools" / "golden"))
from graph_writer import Function, GraphWriter, Group, Sample  # noqa: E402

sys.path.append(str(Path(__file__).parents[2] / "support"))
from safetensors_file import read_tensors, write_tensors  # noqa: E402

# A step of a training, as a Program's text.
STEP = """vecc program 1 f32 samples 1
parameter "w" [1, 1] = {1}
%0 = weight "w" : f32[1, 1]
%1 = state "m" = 0 : f32[1, 1]
%2 = map sum($0, $1) %0, %1 : f32[1, 1]
%3 = output %0 [0:1] : f32[1, 1]
%4 = update %1, %2 : f32[1, 1]
"""


def write_chain(path, levels):
    """A recursion: neuron i is tanh(W x + V f), of neuron i - 1 and a fact."""
    writer = GraphWriter(producer="programs_test")
    for k, name in enumerate("WV"):
        values = [0.1 * (i * i % 7) - 0.25 for i in range(k, k + 9)]
        writer.weight_table(name, k, (3, 3), values, True)
    writer.group(Group(0, 0, 2, head_predicate="f", shape=(3, 1), fact=True,
                       values=[0.5, -0.25, 1, 0.125, 2, -1]))
    writer.group(Group(1, 2, levels, neuron_class="WeightedRule", head_predicate="next",
                       function=Function("sum", "tanh"), fan_in=[2] * levels,
                       inputs=[x for i in range(levels) for x in (i + 1, i % 2)],
                       weights=[0, 1] * levels))
    writer.samples([Sample("end", levels + 1, ((3, 1), [0, 0, 1]))])
    path.write_bytes(writer.finish())


def write_long_row(path, entries):
    """The softmax of the sum of two facts of so many numbers."""
    writer = GraphWriter(producer="programs_test")
    writer.group(Group(0, 0, 2, head_predicate="f", shape=(entries, 1), fact=True,
                       values=[i * 7 % 64 / 32 for i in range(2 * entries)]))
    writer.group(Group(1, 2, 1, neuron_class="Rule", head_predicate="long",
                       function=Function("sum", "softmax"), fan_in=[2], inputs=[0, 1]))
    writer.samples([Sample("long", 2, None)])
    path.write_bytes(writer.finish())


class Programs:
    language = backend = ""  # of --emit; the one that computes the same bits
    number_option = ""  # `--threads`: one of the language's own
    vecc = vecc_opt = vecc_import = ""
    graphs = {}  # by name

    @classmethod
    def make_builder(cls):
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.builder = cls.make_builder()
        Programs.count = 0
        cls.built = {}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def emit(self, graph, *options):
        Programs.count += 1
        program = self.folder / f"program-{Programs.count}"
        run(self.vecc, graph, "--quiet", f"--emit={self.language}", "-o", program, *options)
        return program

    def program(self, name, *options):
        """The executable for a shipped graph; shared, not to be changed."""
        key = (name, *options)
        if key not in self.built:
            self.built[key] = self.builder.build(self.emit(self.graphs[name], *options))
        return self.built[key]

    def expected(self, graph, *options):
        return run(self.vecc, graph, "--quiet", f"--backend={self.backend}", *options)[0]

    def synth(self, *options):
        graph = self.folder / "synth.pb"
        run(self.vecc_import, "synth", "--quiet", "-o", graph, *options)
        return graph

    # What it computes.

    def check_same_bits(self, cases):
        for name, *options in cases:
            with self.subTest(graph=name, options=options):
                self.assertEqual(run(self.program(name, *options))[0],
                                 self.expected(self.graphs[name], *options))

    def test_a_program_of_its_text(self):
        text, program = self.folder / "xor.vecc", self.folder / "of-text"
        run(self.vecc, self.graphs["xor"], "--quiet", "--emit=ir", "-o", text)
        run(self.vecc_opt, text, f"--emit={self.language}", "-o", program)
        expected = [line.split("\t")[1] for line in
                    self.expected(self.graphs["xor"]).splitlines()]
        self.assertEqual(run(self.builder.build(program))[0],
                         "".join(f"{i}\t{value}\t-\n" for i, value in enumerate(expected)))

    def test_weights_of_a_file(self):
        graph, weights = self.graphs["mutagenesis"], self.folder / "w.safetensors"
        program = self.program("mutagenesis", "-O2")
        run(self.vecc, graph, "--quiet", "--backend=cpu", "--train", "--epochs=2", "--lr=0.1",
            f"--save-weights={weights}")
        self.assertEqual(run(program, f"--weights={weights}")[0],
                         self.expected(graph, f"--load-weights={weights}"))
        moved = shutil.copytree(program.parent, self.folder / "moved")
        shutil.copy(weights, moved / "weights.safetensors")
        self.assertEqual(run(moved / "program")[0],
                         self.expected(graph, f"--load-weights={weights}"))

    def test_facts_of_a_file(self):
        graph, facts = self.folder / "chain.pb", self.folder / "f.safetensors"
        write_chain(graph, 4)
        program = self.builder.build(self.emit(graph, "--bind-facts=f"))
        self.assertEqual(run(program)[0], self.expected(graph))
        tensors = read_tensors(program.parent / "facts.safetensors")
        tensors["fact/f"][2][-1] = 0.75
        write_tensors(facts, tensors)
        other = self.expected(graph, "--bind-facts=f", f"--load-facts={facts}")
        self.assertNotEqual(other, self.expected(graph))
        self.assertEqual(run(program, f"--facts={facts}")[0], other)
        self.refused(program, "is none of the program's facts",
                     f"--facts={program.parent}/weights.safetensors")
        _, errors = run(self.vecc, graph, "--quiet", f"--load-facts={facts}", code=3)
        self.assertIn('tensor "fact/f": error: is no input', errors)

    # What is written.

    def check_same_text(self, few, many):
        """What is written for few levels, and for many."""
        self.assertEqual(few, many)

    def test_text_does_not_grow_with_the_levels(self):
        texts = []
        for levels in (50, 2000):
            graph = self.folder / "chain.pb"
            write_chain(graph, levels)
            program = self.emit(graph)
            texts.append(text_files(program))
            if levels == 2000:
                self.assertEqual(run(self.builder.build(program))[0], self.expected(graph))
        self.check_same_text(*texts)

    def test_whole_or_not_at_all(self):
        folder = self.folder / "occupied"
        folder.mkdir()
        (folder / "mine").write_text("")
        _, errors = run(self.vecc, self.graphs["xor"], "--quiet", f"--emit={self.language}",
                        "-o", folder, code=3)
        self.assertIn("not empty", errors)
        _, errors = run(self.vecc, self.graphs["xor"], "--quiet", f"--emit={self.language}", code=2)
        self.assertIn(f"--emit={self.language} needs -o", errors)
        missing = self.folder / "missing"
        graph = self.synth("--nodes=20", "--edges=40", "--model=rgcn", "--dim=2", "--init=none")
        run(self.vecc, graph, "--quiet", f"--emit={self.language}", "-o", missing, code=3)
        text = self.folder / "step.vecc"
        text.write_text(STEP)
        _, errors = run(self.vecc_opt, text, f"--emit={self.language}", "-o", missing, code=5)
        for line in (f"{self.language}: error: %1 state: the program holds a forward pass, no",
                     f"{self.language}: error: %4 update: the program holds a forward pass, no"):
            self.assertIn(line, errors)
        self.assertFalse(list(self.folder.glob("missing*")))

    # What it refuses.

    def refused(self, program, message, *options, code=3):
        out, errors = run(program, *options, code=code)
        self.assertEqual(out, "")
        self.assertIn(message, errors)

    def test_bad_command_lines(self):
        program = self.program("xor", "-O2")
        self.refused(program, "no option", "--thread=2", code=2)
        self.refused(program, f"{self.number_option} needs a number from 0 to 4096",
                     f"{self.number_option}=-1", code=2)
        self.refused(program, "--weights needs a value", "--weights", code=2)
        self.refused(program, "--facts: no facts", "--facts=f.safetensors", code=2)
        for option in ("--weights=FILE", self.number_option):
            self.assertIn(option, run(program, "--help")[0])

    def test_bad_weight_files(self):
        program = self.program("xor", "-O2")
        good = program.parent / "weights.safetensors"
        begin, data = unpack(good)
        header = json.loads(data[8:begin])
        names = [name for name in header if name != "__metadata__"]

        def write(change=lambda header: None, rest=bytes(data[begin:])):
            changed = json.loads(json.dumps(header))
            change(changed)
            text = json.dumps(changed).encode()
            (self.folder / "bad.safetensors").write_bytes(
                len(text).to_bytes(8, "little") + text + rest)
            return f"--weights={self.folder}/bad.safetensors"

        def set_field(field, value):
            return lambda changed: changed[names[0]].__setitem__(field, value)

        size = header[names[0]]["data_offsets"]
        shape = header[names[0]]["shape"]
        run(program, write())  # what is changed below is good as it is
        self.refused(program, "no such file", "--weights=/nowhere")
        self.refused(program, "is no regular file", "--weights=/")
        self.refused(program, "is not in the file",
                     write(lambda changed: changed.__setitem__("x", changed.pop(names[0]))))
        self.refused(program, "has shape", write(set_field("shape", shape[::-1] + [1])))
        self.refused(program, "do not fit", write(set_field("shape", [1 << 63, 4])))
        self.refused(program, "do not fit", write(set_field("data_offsets", [size[0], 1 << 40])))
        self.refused(program, "has dtype", write(set_field("dtype", "F8_E4M3")))
        integer, nan = {"F32": ("I32", b"\0\0\xc0\x7f"),
                        "F64": ("I64", b"\0\0\0\0\0\0\xf8\x7f")}[header[names[0]]["dtype"]]
        self.refused(program, f"is {integer} in the file", write(set_field("dtype", integer)))
        self.refused(program, "is not finite", write(rest=nan + data[begin + len(nan):]))
        self.refused(program, "bytes of data, expected", write(rest=bytes(data[begin:]) + b"1"))
        for end in (0, 7, begin - 1, len(data) - 1):
            (self.folder / "cut").write_bytes(data[:end])
            self.refused(program, "cut: ", f"--weights={self.folder}/cut")
        for at in (9 + len('{"__metadata__":{"vecc.crc32":"'), begin - 1, begin, len(data) - 1):
            flipped = bytearray(data)
            flipped[at] ^= 1
            (self.folder / "flipped").write_bytes(flipped)
            self.refused(program, "its bytes have the CRC-32 ", f"--weights={self.folder}/flipped")
        for junk in (b"[]", b"{", b'{"a":1}', b'{"a":{}}', b'{"a"', b'"\\ud800"', b"{}x",
                     b'{"\x01":0}'):
            (self.folder / "junk").write_bytes(len(junk).to_bytes(8, "little") + junk)
            self.refused(program, "junk: ", f"--weights={self.folder}/junk")

    def test_weights_of_other_numbers(self):
        for name, relation in (("first", "likes"), ("second", "hates")):
            triples, graph = self.folder / f"{name}.txt", self.folder / f"{name}.pb"
            triples.write_text(f"ann\tknows\tbob\nbob\t{relation}\tann\n")
            run(self.vecc_import, "kg", triples, "--quiet", "--model=rgcn", "--dim=2", "-o", graph)
            run(self.vecc, graph, "--quiet", "--backend=interpreter",
                f"--save-weights={self.folder}/{name}.safetensors")
        program = self.builder.build(self.emit(self.folder / "first.pb"))
        run(program, f"--weights={self.folder}/first.safetensors")
        self.refused(program, "have other numbers than in the program",
                     f"--weights={self.folder}/second.safetensors")

    def test_data_of_another_program_or_damaged(self):
        damaged = shutil.copytree(self.program("xor", "-O2").parent, self.folder / "damaged")
        program = damaged / "program"
        other = self.emit(self.graphs["mutagenesis"])
        self.refused(program, "is the data of another program", f"--data={other}")
        data = program.parent / "data.safetensors"
        begin, bytes_of = unpack(data)
        bytes_of[begin + 3] ^= 64
        data.write_bytes(bytes_of)
        self.refused(program, "is damaged")
        data.unlink()
        self.refused(program, "--data=FOLDER")

    def test_unwritable_output(self):
        program = self.program("xor", "-O2")
        _, errors = run("sh", "-c", f"'{program}' > /dev/full", code=3)
        self.assertIn("cannot be written", errors)
        run("sh", "-c", f"'{program}' --repeat=2 | true")

