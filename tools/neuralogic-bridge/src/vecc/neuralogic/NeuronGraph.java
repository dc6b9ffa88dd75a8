package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.weights.Weight;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralModel;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.types.TopologicNetwork;
import cz.cvut.fel.ida.setup.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * A model and its samples as a neuron graph of vecc: writes graph.pb and takes trained weights back.
 * Nothing of NeuraLogic's is changed but the weights' values, by loadWeights.
 */
public final class NeuronGraph {
  private final List<NeuralSample> samples = new ArrayList<>();
  private final List<String> ids;
  private final WeightTables weights = new WeightTables();
  private final NeuronScan scan;
  private final Layout layout;
  private final int sampleCount;

  /** Reads the networks; what vecc has no name for is refused here, all of it together. */
  public NeuronGraph(NeuralModel model, Collection<NeuralSample> all) throws Failure {
    this(model, all, Progress.quiet());
  }

  NeuronGraph(NeuralModel model, Collection<NeuralSample> all, Progress progress) throws Failure {
    Refusals refusals = new Refusals();
    scan = new NeuronScan(weights, refusals);
    sampleCount = all.size();
    try {
      weights.addModel(model.allWeights);
    } catch (Unsupported e) {
      refusals.add(e.getMessage(), "");
    }
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (NeuralSample sample : all) {
      SampleColumns.check(sample, refusals);
      List<? extends BaseNeuron<?, ?>> network = networkOf(sample).allNeuronsTopologic;
      if (seen.add(network)) scan.add(network);
      if (scan.neurons.find(sample.query.neuron) >= 0) samples.add(sample);
      progress.at(scan.neurons.size(), "neurons");
    }
    refusals.check();
    if (samples.isEmpty()) {
      throw new Failure(Failure.INPUT, "no sample has an output neuron: nothing to export");
    }
    ids = SampleColumns.uniqueIds(samples);
    weights.assignIds();
    layout = new Layout(scan);
  }

  private static TopologicNetwork<?> networkOf(NeuralSample sample) throws Failure {
    Object network = sample.query.evidence;
    if (network instanceof TopologicNetwork) return (TopologicNetwork<?>) network;
    throw new Failure(Failure.INPUT, "the network of sample " + SampleColumns.idOf(sample)
        + " is not sorted (NeuraLogic's setting parentCounting)");
  }

  /** Writes the graph; the file appears whole or not at all. */
  public void write(String path, boolean withNames) throws Failure {
    write(Paths.get(path), withNames, Progress.quiet());
  }

  /** The number of edges. */
  long write(Path path, boolean withNames, Progress progress) throws Failure {
    try (AtomicFile file = new AtomicFile(path)) {
      GraphWriter out = new GraphWriter(file.stream(), "NeuraLogic");
      for (WeightTable table : weights.tables()) table.write(out);
      ChunkWriter writer = new ChunkWriter(scan, layout, weights, out, withNames);
      Chunk before = null;
      for (Chunk chunk : layout.chunks) {
        writer.write(chunk, before != null && before.group == chunk.group);
        before = chunk;
        progress.at(chunk.firstId + (long) chunk.count, "neurons");
      }
      new SampleColumns(samples, ids, scan, layout).write(out);
      out.end(neuronCount(), writer.edges(), weightCount(), samples.size());
      file.commit();
      return writer.edges();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }

  /** NeuraLogic's own value of every neuron, for comparisons. */
  public void writeValues(String path, Settings settings, NeuralModel model) throws Failure {
    new ValuesFile(this).write(Paths.get(path), settings, model);
  }

  /** NeuraLogic's own gradients of the outputs, for comparisons: of every neuron for every sample. */
  public void writeGradients(String path, Settings settings, NeuralModel model) throws Failure {
    new GradientsFile(this, weights, settings, model).write(Paths.get(path));
  }

  /** Puts trained weights into the model, all of them or, after a difference, none. */
  public void loadWeights(String path) throws Failure {
    new WeightImport(weights.tables()).load(Paths.get(path));
  }

  /** NeuraLogic's own outputs with the weights as they are, by sample. */
  public List<double[]> evaluate(Settings settings, NeuralModel model) {
    List<double[]> out = new ArrayList<>();
    Evaluation evaluation = new Evaluation(settings, model);
    for (NeuralSample sample : samples) out.add(Evaluation.elements(evaluation.evaluate(sample)));
    return out;
  }

  /** Those that have an output neuron, in the order of the file. */
  public List<NeuralSample> samples() {
    return Collections.unmodifiableList(samples);
  }

  /** Their names in the file. */
  public List<String> sampleIds() {
    return Collections.unmodifiableList(ids);
  }

  /** Samples without an output neuron: their queries do not follow from template and example. */
  public int omittedSamples() {
    return sampleCount - samples.size();
  }

  /**
   * The name of a sample whose step NeuraLogic's Adam makes with other weights than vecc's, where steps
   * are of `batchSize` samples, in their order; null if there is none. `wholeTables`: than a step of
   * vecc's that moves all rows of a table.
   */
  public String sampleOfOtherSteps(int batchSize, boolean wholeTables) {
    List<Weight> rows = new ArrayList<>();
    for (WeightTable table : weights.tables()) {
      if (wholeTables && table.learnable && table.weights.size() > 1) rows.addAll(table.weights);
    }
    NeuralSample found = TouchedWeights.findOther(samples, batchSize, rows);
    return found == null ? null : ids.get(samples.indexOf(found));
  }

  public long neuronCount() {
    return scan.neurons.size();
  }

  public long weightCount() {
    long count = 0;
    for (WeightTable table : weights.tables()) count += table.weights.size();
    return count;
  }

  /** A neuron's id in the file. */
  int fileId(Object neuron) {
    return layout.fileIds[scan.neurons.find(neuron)];
  }
}
