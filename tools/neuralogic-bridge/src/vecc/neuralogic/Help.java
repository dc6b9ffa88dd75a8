package vecc.neuralogic;

/** What --help prints. */
final class Help {
  static final String TEXT = String.join("\n",
      "vecc-neuralogic: NeuraLogic's templates, examples and queries with vecc (docs/neuralogic.md)",
      "",
      "  vecc-neuralogic export -t template.txt -e examples.txt -q queries.txt -o graph.pb",
      "  vecc-neuralogic evaluate -t ... -e ... -q ... [-w weights.safetensors]",
      "  vecc-neuralogic import-weights -t ... -e ... -q ... -w weights.safetensors -o model.java",
      "  vecc-neuralogic train -t ... -e ... -q ... --save-model DIR [--epochs N --backend NAME ...]",
      "  vecc-neuralogic --version",
      "",
      "export          ground, build the networks, write them as a graph of vecc",
      "  -o FILE       the graph",
      "  --names       with the neurons' names",
      "  --values FILE, --gradients FILE  also NeuraLogic's own, of every neuron, to compare with",
      "evaluate        print NeuraLogic's outputs: sample, target, output",
      "  -w FILE       with these weights; default: NeuraLogic's initial ones",
      "import-weights  a NeuraLogic model with weights that vecc trained, to start NeuraLogic with (-t)",
      "  -w FILE       the weights",
      "  -o FILE       the model; its name ends in .java, by which NeuraLogic knows models",
      "train           export, train with vecc, put the weights back, write NeuraLogic's predictions",
      "  --save-model DIR  graph.pb, weights.safetensors, model.java, predictions.tsv",
      "  Options of vecc (vecc --help) go to it; loss, optimizer and rate are NeuraLogic's where none",
      "  is given (-ef, -opt, -lr, -ts), and one sample makes a step, as there.",
      "",
      "All commands:",
      "  -t, -e, -q, ...  any of NeuraLogic's options; without -w its seed and initializer count",
      "  --compressed     with NeuraLogic's chain pruning (which changes values) and compression",
      "  --quiet, --verbose  nothing but errors; all that NeuraLogic logs",
      "");

  private Help() {}
}
