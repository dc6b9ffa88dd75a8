package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralModel;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.types.TopologicNetwork;
import cz.cvut.fel.ida.setup.Settings;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * NeuraLogic's own value of every neuron, as lines that vecc's tests compare with
 * (tests/agreement/expected_values.h), fields separated by tabs:
 *
 * <pre>
 * neuron  file id  NeuraLogic's index        shape (`1`, `3x1`)  values
 * sample  id       file id of the output     shape               values
 * </pre>
 *
 * in the order of the ids. Neurons that no sample's output needs have no value there, and no line.
 */
final class ValuesFile {
  private final NeuronGraph graph;
  private final Value[] values;
  private final int[] indices;

  ValuesFile(NeuronGraph graph) {
    this.graph = graph;
    values = new Value[(int) graph.neuronCount()];
    indices = new int[values.length];
  }

  void write(Path path, Settings settings, NeuralModel model) throws Failure {
    Evaluation evaluation = new Evaluation(settings, model);
    StringBuilder samples = new StringBuilder();
    for (int i = 0; i < graph.samples().size(); i++) {
      NeuralSample sample = graph.samples().get(i);
      Value output = evaluation.evaluate(sample);
      keepNeurons(sample);
      samples.append("sample\t").append(graph.sampleIds().get(i)).append('\t');
      samples.append(graph.fileId(sample.query.neuron)).append('\t').append(text(output));
    }
    try (AtomicFile file = new AtomicFile(path)) {
      Writer out = new BufferedWriter(new OutputStreamWriter(file.stream(), StandardCharsets.UTF_8));
      for (int id = 0; id < values.length; id++) {
        if (values[id] == null) continue;
        out.append("neuron\t" + id + "\t" + indices[id] + "\t" + text(values[id]));
      }
      out.append(samples).flush();
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }

  /** Of what the output depends on: the others of the network are not evaluated, or for another sample. */
  private void keepNeurons(NeuralSample sample) {
    TopologicNetwork<?> network = (TopologicNetwork<?>) (Object) sample.query.evidence;
    Set<Object> wanted = Collections.newSetFromMap(new IdentityHashMap<>());
    wanted.add(sample.query.neuron);
    for (int i = network.allNeuronsTopologic.size() - 1; i >= 0 && !wanted.isEmpty(); i--) {
      BaseNeuron<?, ?> neuron = (BaseNeuron<?, ?>) network.allNeuronsTopologic.get(i);
      if (!wanted.remove(neuron)) continue;
      wanted.addAll(neuron.getInputs());
      int id = graph.fileId(neuron);
      if (values[id] == null) values[id] = neuron.getComputationView(0).getValue();
      indices[id] = neuron.index;
    }
  }

  static String text(Value value) {
    StringBuilder line = new StringBuilder().append(Shape.of(value)).append('\t');
    String separator = "";
    for (double element : Evaluation.elements(value)) {
      line.append(separator).append(element);
      separator = " ";
    }
    return line.append('\n').toString();
  }
}
