package vecc.neuralogic;

import java.util.Objects;

/** What neurons of one chunk have in common, as pass 1 sees it. */
final class Kind {
  enum Fact { NONE, UNIT, CONSTANT, LEARNABLE }

  final Group group;
  final Fact fact;
  /** Null for facts. */
  final NeuronFunction function;
  /** Of facts, and of neurons without elements; else null. */
  final Shape shape;
  /** Where the combination is open, the rule whose other neurons tell it; else empty. */
  final String rule;

  Kind(Group group, Fact fact, NeuronFunction function, Shape shape, String rule) {
    this.group = group;
    this.fact = fact;
    this.function = function;
    this.shape = shape;
    this.rule = rule;
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof Kind)) return false;
    Kind other = (Kind) object;
    return group == other.group && fact == other.fact && Objects.equals(function, other.function)
        && Objects.equals(shape, other.shape) && rule.equals(other.rule);
  }

  @Override
  public int hashCode() {
    return Objects.hash(System.identityHashCode(group), fact, function, shape, rule);
  }
}
