package vecc.neuralogic;

import cz.cvut.fel.ida.setup.Settings;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The command train: NeuraLogic grounds, vecc trains, NeuraLogic gets the weights. */
final class TrainCommand {
  private TrainCommand() {}

  static void run(List<String> all) throws Exception {
    Session session = new Session(all, Collections.emptySet(),
        Collections.singleton("--save-model"), true);
    Path folder = Paths.get(session.arguments.require("--save-model"));
    String vecc = System.getProperty("vecc.program", "vecc");
    session.ground();
    checkSteps(session);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(folder, e);
    }
    Path graph = folder.resolve("graph.pb"), weights = folder.resolve("weights.safetensors");
    session.export(graph, false);
    List<String> command = command(vecc, graph, weights, folder, session);
    session.progress.note("run        " + String.join(" ", command));
    int status = execute(command);
    if (status != 0) throw new Failure(status, "vecc ended with exit code " + status);
    session.graph.loadWeights(weights.toString());
    ModelFile.write(session.grounding.template, folder.resolve("model.java"));
    writePredictions(session, folder.resolve("predictions.tsv"));
  }

  /** NeuraLogic's Adam is refused where vecc's would make other steps. */
  private static void checkSteps(Session session) throws Failure {
    if (session.arguments.veccHas("--optimizer")
        || session.settings().getOptimizer() == Settings.OptimizerSet.SGD) {
      return;
    }
    String sample = session.graph.sampleOfOtherSteps(1, false);
    if (sample == null) return;
    throw new Failure(Failure.USAGE, "NeuraLogic's Adam also moves weights that sample \"" + sample
        + "\" does not depend on, of other queries of its example; vecc's moves those that it depends"
        + " on. Add --optimizer=lazy-adam (or another one) to train so, or -opt sgd");
  }

  /** Where vecc is told nothing else it trains as NeuraLogic would. */
  private static List<String> command(String vecc, Path graph, Path weights, Path folder,
      Session session) {
    List<String> out = new ArrayList<>();
    Collections.addAll(out, vecc, graph.toString(), "--train");
    Settings settings = session.settings();
    Arguments given = session.arguments;
    addDefault(out, given, "--loss", lossOf(settings));
    addDefault(out, given, "--optimizer",
        settings.getOptimizer() == Settings.OptimizerSet.SGD ? "sgd" : "lazy-adam");
    addDefault(out, given, "--lr", Double.toString(settings.initLearningRate));
    addDefault(out, given, "--epochs", Integer.toString(settings.maxCumEpochCount));
    addDefault(out, given, "--batch-size", "online");
    if (given.has("--quiet")) out.add("--quiet");
    out.addAll(given.vecc);
    Collections.addAll(out, "--save-weights=" + weights, "-o", folder.resolve("outputs.txt").toString());
    return out;
  }

  private static void addDefault(List<String> out, Arguments given, String option, String value) {
    if (!given.veccHas(option)) out.add(option + "=" + value);
  }

  private static String lossOf(Settings settings) {
    switch (settings.errorFunction) {
      case CROSSENTROPY: return "crossentropy";
      case SOFTENTROPY: return "softentropy";
      default: return "squared_diff";
    }
  }

  private static int execute(List<String> command) throws Failure, InterruptedException {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      Thread end = new Thread(process::destroy); // Ctrl-C reaches both; other signals only this one
      Runtime.getRuntime().addShutdownHook(end);
      int status = process.waitFor();
      Runtime.getRuntime().removeShutdownHook(end);
      return status;
    } catch (IOException e) {
      throw new Failure(Failure.INPUT, "cannot run " + command.get(0) + " (" + e.getMessage() + ")");
    }
  }

  private static void writePredictions(Session session, Path path) throws Exception {
    session.progress.begin("predict");
    try (AtomicFile file = new AtomicFile(path)) {
      Writer out = new BufferedWriter(new OutputStreamWriter(file.stream(), StandardCharsets.UTF_8));
      Commands.writePredictions(session, out);
      out.flush();
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
    session.progress.end("NeuraLogic's outputs to " + path);
  }
}
