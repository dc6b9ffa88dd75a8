package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The samples: output neurons, names, targets, splits and weights, in chunks. */
final class SampleColumns {
  private static final int CHUNK = 1 << 18;
  private static final Shape NO_TARGET = new Shape(-1, -1); // 0xFFFFFFFF rows and columns
  private static final int UNSPECIFIED = 0, TRAIN = 1, VALIDATION = 2, TEST = 3;

  private final List<NeuralSample> samples;
  private final List<String> ids;
  private final NeuronScan scan;
  private final Layout layout;

  SampleColumns(List<NeuralSample> samples, List<String> ids, NeuronScan scan, Layout layout) {
    this.samples = samples;
    this.ids = ids;
    this.scan = scan;
    this.layout = layout;
  }

  static void check(NeuralSample sample, Refusals refusals) {
    if (sample.target != null && Shape.of(sample.target) == null) {
      refusals.add("a " + sample.target.getClass().getSimpleName() + " as target", idOf(sample));
    }
  }

  static String idOf(NeuralSample sample) {
    String id = sample.getId();
    return id == null ? "" : id;
  }

  /** NeuraLogic's names of the samples, each made the only one. */
  static List<String> uniqueIds(List<NeuralSample> samples) {
    Set<String> seen = new HashSet<>();
    List<String> out = new ArrayList<>(samples.size());
    for (NeuralSample sample : samples) {
      String wanted = idOf(sample), id = wanted;
      for (int i = 2; !seen.add(id); i++) id = wanted + " (" + i + ")";
      out.add(id);
    }
    return out;
  }

  void write(GraphWriter out) throws IOException {
    for (int begin = 0; begin < samples.size(); begin += CHUNK) {
      int end = Math.min(samples.size(), begin + CHUNK);
      out.write(GraphWriter.SAMPLES, chunk(begin, end));
    }
  }

  private Message chunk(int begin, int end) {
    Message outputs = new Message(), names = new Message(), targets = new Message(),
        splits = new Message(), weights = new Message();
    List<Shape> shapes = new ArrayList<>();
    boolean hasTargets = false, hasSplits = false, hasWeights = false;
    for (int i = begin; i < end; i++) {
      NeuralSample sample = samples.get(i);
      outputs.fixed32(outputOf(sample));
      names.presentText(3, ids.get(i));
      shapes.add(addTarget(sample.target, targets));
      hasTargets |= sample.target != null;
      int split = splitOf(sample);
      splits.varint(split);
      hasSplits |= split != UNSPECIFIED;
      float weight = (float) sample.getImportance();
      weights.fixed32(Float.floatToIntBits(weight));
      hasWeights |= weight != 1;
    }
    Message out = new Message().packed(1, outputs).append(names);
    if (hasTargets) out.append(shapeColumn(shapes)).packed(5, targets);
    if (hasSplits) out.packed(6, splits);
    return hasWeights ? out.packed(9, weights) : out;
  }

  int outputOf(NeuralSample sample) {
    return layout.fileIds[scan.neurons.find(sample.query.neuron)];
  }

  private static Shape addTarget(Value target, Message targets) {
    if (target == null) return NO_TARGET;
    Shape shape = Shape.of(target);
    for (int i = 0; i < shape.size(); i++) {
      targets.fixed64(Double.doubleToLongBits(Shape.element(target, i)));
    }
    return shape;
  }

  /** One for all where they are the same. */
  private static Message shapeColumn(List<Shape> shapes) {
    boolean same = new HashSet<>(shapes).size() == 1;
    Message out = new Message();
    for (Shape shape : same ? shapes.subList(0, 1) : shapes) out.message(4, shape.message());
    return out;
  }

  private static int splitOf(NeuralSample sample) {
    if (sample.type == null) return UNSPECIFIED;
    switch (sample.type) {
      case TRAIN: return TRAIN;
      case VALIDATION: return VALIDATION;
      case TEST: return TEST;
      default: return UNSPECIFIED;
    }
  }
}
