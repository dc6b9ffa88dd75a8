package vecc.neuralogic;

import java.util.Objects;

/**
 * T and C of value = T(C(list)), in the text names of docs/functions.md. The parameters that may differ
 * by neuron (AtIndex's index, Slice's bounds) are not part of it.
 */
final class NeuronFunction {
  /** Empty: NeuraLogic dropped it, as the list has one element; any that skips one element will do. */
  final String combination;
  final String transformation;
  /** Of leakyrelu, else null. */
  final Double slope;
  /** Of concat, else null. */
  final Integer axis;
  /** Of reshape, else null. */
  final Shape target;
  /** Of functiongraph, else empty. */
  final String expression;

  NeuronFunction(String combination, Integer axis, String expression, String transformation,
      Double slope, Shape target) {
    this.combination = combination;
    this.axis = axis;
    this.expression = expression;
    this.transformation = transformation;
    this.slope = slope;
    this.target = target;
  }

  NeuronFunction withCombinationOf(NeuronFunction other) {
    return new NeuronFunction(other.combination, other.axis, "", transformation, slope, target);
  }

  NeuronFunction withSum() {
    return new NeuronFunction("sum", null, "", transformation, slope, target);
  }

  /** Whether a list of one element skips the combination. */
  boolean skipsOneElement() {
    switch (combination) {
      case "sum": case "avg": case "max": case "min": case "concat": case "product":
      case "elproduct": case "crosssum": case "cossim": return true;
      default: return false;
    }
  }

  /** Whether lists of any length and elements of any one shape have the same result shape. */
  boolean keepsShape() {
    switch (combination) {
      case "sum": case "avg": case "max": case "min": return true;
      default: return false;
    }
  }

  /** The wire format's Function; sum and identity are what stands for nothing. */
  Message message() {
    Message out = new Message();
    if (!combination.equals("sum")) out.text(1, combination);
    if (!transformation.equals("identity")) out.text(2, transformation);
    if (slope != null) out.presentDouble(3, slope);
    if (axis != null && axis != -1) out.presentSigned(4, axis);
    if (target != null) out.message(5, target.message());
    return out.text(6, expression);
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof NeuronFunction)) return false;
    NeuronFunction other = (NeuronFunction) object;
    return combination.equals(other.combination) && transformation.equals(other.transformation)
        && Objects.equals(slope, other.slope) && Objects.equals(axis, other.axis)
        && Objects.equals(target, other.target) && expression.equals(other.expression);
  }

  @Override
  public int hashCode() {
    return Objects.hash(combination, transformation, slope, axis, target, expression);
  }
}
