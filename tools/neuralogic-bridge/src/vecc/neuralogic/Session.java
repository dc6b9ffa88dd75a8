package vecc.neuralogic;

import cz.cvut.fel.ida.setup.Settings;
import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** What the commands have in common: from arguments to a grounded model and its graph. */
final class Session {
  private static final String[] FLAGS = {"--quiet", "--verbose", "--compressed"};

  final Arguments arguments;
  final Progress progress;
  /** For data: stdout itself, which NeuraLogic does not get. */
  final PrintStream out = System.out;
  Grounding grounding;
  NeuronGraph graph;
  private final NeuraLogicLog log;

  Session(java.util.List<String> all, Collection<String> flags, Collection<String> valued,
      boolean takesVecc) throws Failure {
    Set<String> allFlags = new HashSet<>(flags);
    allFlags.addAll(Arrays.asList(FLAGS));
    arguments = new Arguments(all, allFlags, new HashSet<>(valued), takesVecc);
    boolean quiet = arguments.has("--quiet");
    progress = new Progress(quiet ? null : System.err, Boolean.getBoolean("vecc.terminal"));
    log = NeuraLogicLog.install(System.err, arguments.has("--verbose"));
  }

  /** Grounds, builds the networks and reads them. */
  void ground() throws Exception {
    progress.begin("ground");
    try {
      grounding = groundWithScratch();
    } finally {
      log.checkParsed(); // instead of what NeuraLogic says about what is left
    }
    progress.end(count(grounding.samples.size(), "sample"));
    if (log.cutCycles() > 0) {
      String edges = count(log.cutCycles(), "edge");
      progress.note("note: NeuraLogic removed " + edges + " that closed cycles");
    }
    progress.begin("scan");
    graph = new NeuronGraph(grounding.model, grounding.samples, progress);
    progress.end(count(graph.neuronCount(), "neuron") + ", " + count(graph.weightCount(), "weight"));
    if (graph.omittedSamples() > 0) {
      progress.note("note: " + count(graph.omittedSamples(), "sample")
          + " left out: the query does not follow from template and example");
    }
  }

  /** NeuraLogic writes logs, and templates with imports as one file, below the working folder's outDir. */
  private Grounding groundWithScratch() throws Exception {
    Path scratch = Files.createTempDirectory("vecc-neuralogic");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(scratch.toFile()))); // also after Ctrl-C
    Path here = Paths.get("").toAbsolutePath();
    String outDir = here.relativize(scratch.toAbsolutePath()).toString();
    return new Grounding(arguments.neuralogic, outDir, arguments.has("--compressed"), progress);
  }

  private static void delete(File file) {
    File[] below = file.listFiles();
    if (below != null) {
      for (File one : below) delete(one);
    }
    file.delete();
  }

  void export(Path path, boolean withNames) throws Failure {
    progress.begin("export");
    long edges = graph.write(path, withNames, progress);
    progress.end(count(edges, "edge") + " to " + path);
  }

  Settings settings() {
    return grounding.settings;
  }

  static String count(long number, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
  }
}
