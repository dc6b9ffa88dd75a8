package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The commands export, evaluate and import-weights. */
final class Commands {
  private Commands() {}

  static void export(List<String> all) throws Exception {
    Session session = new Session(all, Collections.singleton("--names"),
        Arrays.asList("-o", "--values", "--gradients"), false);
    Path path = AtomicFile.check(Paths.get(session.arguments.require("-o")));
    String values = session.arguments.get("--values"), gradients = session.arguments.get("--gradients");
    if (values != null) AtomicFile.check(Paths.get(values));
    if (gradients != null) AtomicFile.check(Paths.get(gradients));
    session.ground();
    session.export(path, session.arguments.has("--names"));
    session.progress.begin("compare");
    if (values != null) {
      session.graph.writeValues(values, session.settings(), session.grounding.model);
      session.progress.end("NeuraLogic's values to " + values);
    }
    if (gradients != null) {
      session.graph.writeGradients(gradients, session.settings(), session.grounding.model);
      session.progress.end("NeuraLogic's gradients to " + gradients);
    }
  }

  static void evaluate(List<String> all) throws Exception {
    Session session = new Session(all, Collections.emptySet(), Collections.singleton("-w"), false);
    String weights = session.arguments.get("-w");
    if (weights != null) Safetensors.check(weights);
    session.ground();
    if (weights != null) session.graph.loadWeights(weights);
    Writer out = new BufferedWriter(new OutputStreamWriter(session.out, StandardCharsets.UTF_8));
    writePredictions(session, out);
    out.flush();
  }

  static void importWeights(List<String> all) throws Exception {
    Session session = new Session(all, Collections.emptySet(), Arrays.asList("-w", "-o"), false);
    String weights = session.arguments.require("-w");
    Path model = AtomicFile.check(ModelFile.checkName(session.arguments.require("-o")));
    Safetensors.check(weights);
    session.ground();
    session.graph.loadWeights(weights);
    ModelFile.write(session.grounding.template, model);
    session.progress.note("model      " + model);
  }

  /** A line a sample: id, target (`-` for none), NeuraLogic's output. */
  static void writePredictions(Session session, Writer out) throws IOException {
    Evaluation evaluation = new Evaluation(session.settings(), session.grounding.model);
    List<NeuralSample> samples = session.graph.samples();
    for (int i = 0; i < samples.size(); i++) {
      Value target = samples.get(i).target;
      out.append(session.graph.sampleIds().get(i).replaceAll("[\t\n]", " ")).append('\t');
      out.append(target == null ? "-" : text(target)).append('\t');
      out.append(text(evaluation.evaluate(samples.get(i)))).append('\n');
    }
  }

  private static String text(Value value) {
    StringBuilder out = new StringBuilder();
    for (double element : Evaluation.elements(value)) {
      out.append(out.length() == 0 ? "" : " ").append(element);
    }
    return out.toString();
  }
}
