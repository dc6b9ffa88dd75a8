"""Exports all text cases, the data sets of the package neuralogic, and the golden mutagenesis networks, in
one start of Java. With VECC_FULL=1 also the whole of template_cycle (747,505 neurons) and of the molecules' own
templates.

    export_cases.py BRIDGE_JAR CASES_JAR NEURALOGIC_JAR OUT_DIR
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from text_cases import all_cases

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench/neuralogic"))
from mutagenesis import rules_of  # noqa: E402: found by the line above

# Where NeuraLogic's are not the derivatives (docs/functions.md), or it throws: a scalar in a vector's sum.
# A vector's softmax as a combination gives its input one number of the gradient there.
OTHER_GRADIENTS = {"lukasiewicz", "scalar_weight", "unit_facts", "softmax_comb_of_one_tanh",
                   "sparsemax_comb_of_one_tanh"}

# NeuraLogic's template_cycle: all paths; it removes the edges that close cycles.
CYCLE = """
path(X, Y) <= bond(X, Y, B), {3,3} bond_embed(B).
path(X, Y) <= bond(X, Z, B), {3,3} bond_embed(B), {3,3} path(Z, Y).
{1,3} predict :- path(X, Y).
predict/0 {1}
predict/0 [transformation=sigm]
"""


def write_cases(folder):
    """NAME: NeuraLogic's arguments."""
    for name, (template, examples) in all_cases():
        files = {"-t": folder / f"{name}.t.txt", "-e": folder / f"{name}.e.txt"}
        files["-t"].write_text(template, encoding="utf-8")
        files["-e"].write_text(examples, encoding="utf-8")
        yield name, [word for option, path in files.items() for word in (option, str(path))]


def ground_cases():
    """One of each feature of the language, as files; vecc-ground makes the same networks."""
    for case in sorted((Path(__file__).resolve().parents[1] / "ground/cases").iterdir()):
        files = {"-t": case / "template.txt", "-e": case / "examples.txt", "-q": case / "queries.txt"}
        yield f"ground_{case.name}", [word for option, path in files.items() if path.exists()
                                      for word in (option, str(path))]


def package_cases(neuralogic_jar, folder):
    """The data sets in the package beside its jar."""
    data = neuralogic_jar.parents[1] / "utils/data/datasets"
    simple, molecules = data / "simple", data / "molecules/mutagenesis"
    for name in ("family", "trains"):
        yield name, ["-sd", str(simple / name)]
    for name in ("naive", "vectorized"):
        xor = simple / "xor" / name
        yield f"xor_{name}", ["-t", str(xor / "template.txt"), "-e", str(xor / "trainExamples.txt")]
    yield "nations", ["-sd", str(data / "nations")]
    files = ["-e", str(molecules / "examples.txt"), "-q", str(molecules / "queries.txt")]
    for model in ("simple", "dims"):
        template = folder / f"{model}.t.txt"
        template.write_text(rules_of(model), encoding="utf-8")
        yield f"mutagenesis_{model}", ["-t", str(template), *files, "-init", "simple"]
    cycle = folder / "cycle.t.txt"
    embeddings = (molecules / "templates/embeddings.txt").read_text(encoding="utf-8")
    cycle.write_text(embeddings + CYCLE, encoding="utf-8")
    def limit(samples):
        return [] if os.environ.get("VECC_FULL") else ["-lim", str(samples)]

    yield "molecules_cycle", ["-t", str(cycle), *files, *limit(3)]
    for name in ("template", "template_gnn"):
        template = molecules / "templates" / f"{name}.txt"
        yield f"molecules_{name}", ["-t", str(template), *files, *limit(10)]


def main():
    jars, folder = [Path(jar) for jar in sys.argv[1:4]], Path(sys.argv[4])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lines, small = [], {name for name, _ in all_cases()}
    for name, arguments in [*write_cases(folder), *ground_cases(), *package_cases(jars[2], folder)]:
        own = ["-o", str(folder / f"{name}.pb"), "--values", str(folder / f"{name}.expected"), "--quiet"]
        if name in small and name not in OTHER_GRADIENTS:
            own += ["--gradients", str(folder / f"{name}.gradients")]
        lines.append("\t".join(["export", *arguments, *own]))
    cases = folder / "cases.tsv"
    cases.write_text("\n".join(lines) + "\n", encoding="utf-8")
    java = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java"
    short = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # faster where Java runs for seconds
    command = [java, *short, "-cp", os.pathsep.join(map(str, jars)), "vecc.neuralogic.ExportCases", cases]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
