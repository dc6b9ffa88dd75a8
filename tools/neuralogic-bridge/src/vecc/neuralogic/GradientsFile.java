package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.ScalarValue;
import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.algebra.weights.Weight;
import cz.cvut.fel.ida.neural.networks.computation.iteration.visitors.weights.WeightUpdater;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralModel;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.FactNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.types.TopologicNetwork;
import cz.cvut.fel.ida.setup.Settings;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * NeuraLogic's own gradients of the sum of a sample's output, sample by sample, as lines that vecc's
 * tests compare with (tests/agreement/expected_gradients.h), fields separated by tabs:
 *
 * <pre>
 * sample  id         shape (`1`, `3x1`)  gradient at the output: ones
 * neuron  file id    shape               gradient; of all neurons of the sample but fixed facts, and
 *                                        those whose value is the constant ONE, where there is none
 * weight  weight id  shape               gradient; of the weights that the sample reaches
 * </pre>
 */
final class GradientsFile {
  private final NeuronGraph graph;
  private final WeightTables weights;
  private final Evaluation evaluation;

  GradientsFile(NeuronGraph graph, WeightTables weights, Settings settings, NeuralModel model) {
    this.graph = graph;
    this.weights = weights;
    evaluation = new Evaluation(settings, model);
  }

  void write(Path path) throws Failure {
    try (AtomicFile file = new AtomicFile(path)) {
      Writer out = new BufferedWriter(new OutputStreamWriter(file.stream(), StandardCharsets.UTF_8));
      for (int i = 0; i < graph.samples().size(); i++) {
        NeuralSample sample = graph.samples().get(i);
        Value ones = ones(evaluation.evaluate(sample));
        WeightUpdater updates = evaluation.backpropagate(sample, ones);
        out.append("sample\t" + graph.sampleIds().get(i) + "\t" + ValuesFile.text(ones));
        writeNeurons(sample, out);
        for (Weight weight : updates.updatedWeightsOnly) {
          Value update = updates.weightUpdates[weight.index];
          out.append("weight\t" + weights.idOf(weight) + "\t" + ValuesFile.text(update));
        }
      }
      out.flush();
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }

  private static Value ones(Value output) {
    if (Shape.of(output).isScalar()) return new ScalarValue(1);
    Value out = output.clone();
    for (int i = 0; i < Shape.of(out).size(); i++) out.set(i, 1);
    return out;
  }

  private void writeNeurons(NeuralSample sample, Writer out) throws IOException {
    TopologicNetwork<?> network = (TopologicNetwork<?>) (Object) sample.query.evidence;
    for (BaseNeuron<?, ?> neuron : network.allNeuronsTopologic) {
      Value gradient = neuron.getComputationView(0).getGradient();
      boolean fact = neuron instanceof FactNeuron;
      if (fact ? !((FactNeuron) neuron).getOffset().isLearnable() : Shape.isOne(gradient)) continue;
      out.append("neuron\t" + graph.fileId(neuron) + "\t" + ValuesFile.text(gradient));
    }
  }
}
