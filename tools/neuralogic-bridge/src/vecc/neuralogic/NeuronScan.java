package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ActivationFcn;
import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.algebra.weights.Weight;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.WeightedNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.FactNeuron;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pass 1 over a network: which neurons there are, and of which kind. It reads everything that pass 2
 * writes, so that what cannot be exported is known before a byte is written.
 */
final class NeuronScan {
  final NeuronIds neurons = new NeuronIds();
  final List<Group> groups = new ArrayList<>();
  final List<Kind> kinds = new ArrayList<>();
  private final Map<Kind, Integer> kindIds = new HashMap<>();
  private final Map<String, Group> groupOf = new HashMap<>();
  private final WeightTables weights;
  private final Refusals refusals;
  private int[] kindOf = new int[1024];

  NeuronScan(WeightTables weights, Refusals refusals) {
    this.weights = weights;
    this.refusals = refusals;
  }

  Kind kind(int position) {
    return kinds.get(kindOf[position]);
  }

  int kindId(int position) {
    return kindOf[position];
  }

  /** A network's neurons. Those that samples share come once. */
  void add(List<? extends BaseNeuron<?, ?>> network) {
    for (BaseNeuron<?, ?> neuron : network) {
      if (!neurons.add(neuron)) continue;
      int position = neurons.size() - 1;
      if (position == kindOf.length) {
        kindOf = Arrays.copyOf(kindOf, NeuronIds.grown(position));
      }
      try {
        kindOf[position] = idOf(describe(neuron));
      } catch (Unsupported e) {
        refusals.add(e.getMessage(), neuron.getName());
      }
    }
  }

  private int idOf(Kind kind) {
    Integer known = kindIds.putIfAbsent(kind, kinds.size());
    if (known != null) return known;
    kinds.add(kind);
    return kinds.size() - 1;
  }

  private Kind describe(BaseNeuron<?, ?> neuron) throws Unsupported {
    int neuronClass = Group.classOf(neuron);
    if (neuronClass < 0) throw new Unsupported("neuron class " + neuron.getClass().getSimpleName());
    if (neuron.isShared()) throw new Unsupported("inputs that differ by sample (sequential mode)");
    String literal = Group.literalOf(neuron);
    Group group = groupOf(neuronClass, Literals.predicateOf(literal));
    if (neuronClass == Group.FACT) return describeFact((FactNeuron) neuron, group, literal);
    String rule = group.knownRule(neuron.getName());
    int elements = neuron.inputCount();
    if (neuron instanceof WeightedNeuron) elements += addWeights((WeightedNeuron<?, ?>) neuron);
    // Not the neuron's own functions: with states for several threads it does not know them.
    ActivationFcn.State state = neuron.getComputationView(0).getFcnState();
    NeuronFunction function = Functions.describe(state, elements, () -> hasScalar(neuron));
    if (!function.combination.isEmpty()) {
      group.sawFunction(rule, function);
      rule = "";
    }
    Shape shape = elements > 0 ? null : Shape.of(neuron.getComputationView(0).getGradient());
    return new Kind(group, Kind.Fact.NONE, function, shape, rule);
  }

  /** Whether the only element of a neuron's list is a scalar. */
  private static boolean hasScalar(BaseNeuron<?, ?> neuron) {
    Weight weight = Weight.unitWeight;
    if (neuron instanceof WeightedNeuron) {
      WeightedNeuron<?, ?> weighted = (WeightedNeuron<?, ?>) neuron;
      if (WeightTables.isOffset(weighted.getOffset())) return isScalar(weighted.getOffset().value);
      weight = weighted.getWeights().get(0);
    }
    BaseNeuron<?, ?> input = (BaseNeuron<?, ?>) neuron.getInputs().get(0);
    // A gradient has the form of its neuron's value, and is there before one is computed.
    return isScalar(weight.value.times(input.getComputationView(0).getGradient()));
  }

  private static boolean isScalar(Value value) {
    return Shape.SCALAR.equals(Shape.of(value));
  }

  private Group groupOf(int neuronClass, String predicate) {
    return groupOf.computeIfAbsent(neuronClass + " " + predicate, key -> {
      groups.add(new Group(neuronClass, predicate));
      return groups.get(groups.size() - 1);
    });
  }

  /** How many elements the offset adds. */
  private int addWeights(WeightedNeuron<?, ?> neuron) throws Unsupported {
    for (Weight weight : neuron.getWeights()) weights.addInputWeight(weight);
    weights.addOffset(neuron.getOffset());
    return WeightTables.isOffset(neuron.getOffset()) ? 1 : 0;
  }

  /** Every valued fact owns a weight in NeuraLogic; only a learnable one is a weight here. */
  private Kind describeFact(FactNeuron fact, Group group, String literal) throws Unsupported {
    Weight weight = fact.getOffset();
    if (weight != null && weight.isLearnable()) {
      weights.addFact(weight, group.predicate, literal);
      return new Kind(group, Kind.Fact.LEARNABLE, null, Shape.of(weight.value), "");
    }
    Value value = valueOf(fact);
    if (Shape.isOne(value)) return new Kind(group, Kind.Fact.UNIT, null, Shape.SCALAR, "");
    Shape shape = Shape.of(value);
    if (shape == null) throw new Unsupported("a " + value.getClass().getSimpleName());
    for (int i = 0; i < shape.size(); i++) {
      double element = Shape.element(value, i);
      if (Double.isNaN(element) || Double.isInfinite(element)) {
        throw new Unsupported("the value " + element);
      }
    }
    return new Kind(group, Kind.Fact.CONSTANT, null, shape, "");
  }

  static Value valueOf(FactNeuron fact) {
    return fact.getComputationView(0).getValue();
  }
}
