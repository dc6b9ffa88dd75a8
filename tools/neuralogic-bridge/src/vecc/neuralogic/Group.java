package vecc.neuralogic;

import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.AggregationNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.AtomNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.FactNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.NegationNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.RuleNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.SplittableAggregationNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.WeightedAtomNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.WeightedRuleNeuron;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Neurons of one class and one head predicate: what becomes a layer. */
final class Group {
  static final int FACT = 0, NEGATION = 6;
  private static final int MOST_RULES = 100;

  final int neuronClass;
  final String predicate;
  final List<Chunk> chunks = new ArrayList<>();
  private final Set<String> rules = new LinkedHashSet<>();
  private final Map<String, NeuronFunction> functionOfRule = new HashMap<>();
  private NeuronFunction common;

  Group(int neuronClass, String predicate) {
    this.neuronClass = neuronClass;
    this.predicate = predicate;
  }

  /** The wire format's number of a neuron's class, or -1. */
  static int classOf(BaseNeuron<?, ?> neuron) {
    if (neuron instanceof FactNeuron) return FACT;
    if (neuron instanceof RuleNeuron) return 1;
    if (neuron instanceof WeightedRuleNeuron) return 2;
    if (neuron instanceof SplittableAggregationNeuron) return 7;
    if (neuron instanceof AggregationNeuron) return 3;
    if (neuron instanceof AtomNeuron) return 4;
    if (neuron instanceof WeightedAtomNeuron) return 5;
    return neuron instanceof NegationNeuron ? NEGATION : -1;
  }

  /** The literal that a neuron stands for: the rule's head, or the ground literal without its value. */
  static String literalOf(BaseNeuron<?, ?> neuron) {
    String name = neuron.getName();
    if (neuron instanceof FactNeuron && ((FactNeuron) neuron).factLiteral != null) {
      name = ((FactNeuron) neuron).factLiteral;
    }
    if (name == null) return "";
    if (neuron instanceof NegationNeuron && name.startsWith("neg_")) name = name.substring(4);
    return Literals.headOf(name);
  }

  /**
   * Keeps a rule's text. Empty for what is none, and for more than a group has: ground rules
   * (NeuraLogic's fullRuleNeuronStrings) can be as many as there are neurons.
   */
  String knownRule(String name) {
    if (name == null || !name.contains(":-")) return "";
    if (rules.contains(name)) return name;
    return rules.size() < MOST_RULES && rules.add(name) ? name : "";
  }

  String ruleText() {
    return String.join("\n", rules);
  }

  /** A function whose combination is known, of a neuron of that rule. */
  void sawFunction(String rule, NeuronFunction function) {
    if (!function.skipsOneElement()) return;
    if (!rule.isEmpty()) functionOfRule.putIfAbsent(rule, function);
    if (common == null && function.keepsShape()) common = function;
  }

  /**
   * NeuraLogic drops the combination of a neuron with one element. It gets that of the other neurons of
   * its rule (else, where shapes do not matter, of its group), so that the group stays one layer; else
   * SUM. All of these leave one element as it is.
   */
  NeuronFunction complete(NeuronFunction function, String rule) {
    if (!function.combination.isEmpty()) return function;
    NeuronFunction model = functionOfRule.getOrDefault(rule, common);
    return model == null ? function.withSum() : function.withCombinationOf(model);
  }
}
