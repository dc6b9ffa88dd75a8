package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.weights.Weight;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.WeightedNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.FactNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.types.TopologicNetwork;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Which weights a step of NeuraLogic's touches: those of all neurons that stand before the query in the
 * order of its network, also where the query does not depend on them, as other queries of the example do.
 * Its Adam moves such a weight by its moments. vecc's touches those that the query depends on.
 */
final class TouchedWeights {
  private final Set<Weight> touched = newSet(), reached = newSet();

  private TouchedWeights() {}

  /**
   * The first sample whose step touches others than vecc's, or not all of `rows`; null if there is
   * none.
   */
  static NeuralSample findOther(List<NeuralSample> samples, int batchSize, List<Weight> rows) {
    for (int begin = 0; begin < samples.size(); begin += Math.min(batchSize, samples.size())) {
      TouchedWeights step = new TouchedWeights();
      int end = (int) Math.min(samples.size(), begin + (long) batchSize);
      for (NeuralSample sample : samples.subList(begin, end)) step.add(sample);
      if (step.touched.size() > step.reached.size() || !step.reached.containsAll(rows)) {
        return samples.get(begin);
      }
    }
    return null;
  }

  private void add(NeuralSample sample) {
    TopologicNetwork<?> network = (TopologicNetwork<?>) (Object) sample.query.evidence;
    Set<Object> wanted = newSet();
    wanted.add(sample.query.neuron);
    boolean isBefore = false;
    for (int i = network.allNeuronsTopologic.size() - 1; i >= 0; i--) {
      BaseNeuron<?, ?> neuron = (BaseNeuron<?, ?>) network.allNeuronsTopologic.get(i);
      isBefore |= (Object) neuron == sample.query.neuron;
      if (!isBefore) continue;
      addWeights(neuron, touched);
      if (!wanted.remove(neuron)) continue;
      addWeights(neuron, reached);
      wanted.addAll(neuron.getInputs());
    }
  }

  private static void addWeights(BaseNeuron<?, ?> neuron, Set<Weight> to) {
    if (neuron instanceof FactNeuron) {
      add(((FactNeuron) neuron).getOffset(), to);
    } else if (neuron instanceof WeightedNeuron) {
      WeightedNeuron<?, ?> weighted = (WeightedNeuron<?, ?>) neuron;
      if (WeightTables.isOffset(weighted.getOffset())) add(weighted.getOffset(), to);
      for (Weight weight : weighted.getWeights()) add(weight, to);
    }
  }

  private static void add(Weight weight, Set<Weight> to) {
    if (weight != null && weight.isLearnable()) to.add(weight);
  }

  private static <T> Set<T> newSet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
