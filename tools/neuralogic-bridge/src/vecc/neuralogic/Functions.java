package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ActivationFcn;
import cz.cvut.fel.ida.algebra.functions.Combination;
import cz.cvut.fel.ida.algebra.functions.Transformation;
import cz.cvut.fel.ida.algebra.functions.combination.Concatenation;
import cz.cvut.fel.ida.algebra.functions.combination.FunctionGraph;
import cz.cvut.fel.ida.algebra.functions.transformation.elementwise.LeakyReLu;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.AtIndex;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.ConstantOne;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Reshape;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Slice;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** NeuraLogic's functions in vecc's text names (include/vecc/functions.def). */
final class Functions {
  private static final int[] NO_WORDS = {};
  /** By the class's simple name. Subclasses have their own names, so that none passes for another. */
  private static final Map<String, String> TRANSFORMATIONS = names(
      "Identity identity", "Sigmoid sigmoid", "Tanh tanh", "Signum signum", "ReLu relu",
      "LeakyReLu leakyrelu", "LukasiewiczSigmoid lukasiewicz", "Exponentiation exp",
      "Logarithm log", "SquareRoot sqrt", "Inverse inverse", "Reverse reverse",
      "Transposition transp", "Normalization norm", "Softmax softmax", "Sparsemax sparsemax",
      "Slice slice", "Reshape reshape", "AtIndex atindex");
  private static final Map<String, String> COMBINATIONS = names(
      "Sum sum", "Average avg", "Maximum max", "Minimum min", "Count count",
      "Concatenation concat", "Softmax softmax", "Sparsemax sparsemax", "Product product",
      "ElementProduct elproduct", "CrossSum crosssum", "CosineSim cossim",
      "FunctionGraph functiongraph");

  private Functions() {}

  /**
   * What NeuraLogic really applies to a neuron whose list (offset included) has `elements`;
   * `hasScalar` says of a list of one whether it is a scalar.
   */
  static NeuronFunction describe(ActivationFcn.State state, int elements, BooleanSupplier hasScalar)
      throws Unsupported {
    // By the state's class: in NeuraLogic this state has no transformation, as it is made before the
    // only ConstantOne is.
    if (state instanceof ConstantOne.State) {
      return new NeuronFunction("count", null, "", "identity", null, null);
    }
    Combination combination = state.getCombination();
    Transformation transformation = state.getTransformation();
    if (combination == null && elements > 1) {
      throw new Unsupported("no combination for " + elements + " inputs");
    }
    String name = transformation == null ? "identity" : transformationName(transformation);
    Double slope = null;
    Shape target = null;
    if (transformation instanceof LeakyReLu) slope = Parameters.slope((LeakyReLu) transformation);
    if (transformation instanceof Reshape) target = Parameters.target((Reshape) transformation);
    String combined = combination == null ? "" : combinationName(combination);
    String expression = "";
    if (combination instanceof FunctionGraph) {
      expression = Expressions.text(((FunctionGraph) combination).root);
    } else if (elements == 1 && transformation != null && isOneOfOne(combined)) {
      // NeuraLogic applies the transformation to what the combination makes of the list, vecc to its
      // element: 1 of a scalar, a vector's own softmax.
      if (combined.equals("count")) expression = "1";
      else expression = hasScalar.getAsBoolean() ? "reshape[1x1](1)" : combined + "($0)";
      combined = "functiongraph";
    }
    Integer axis = null;
    if (combined.equals("concat")) axis = Parameters.axis((Concatenation) combination);
    return new NeuronFunction(combined, axis, expression, name, slope, target);
  }

  private static boolean isOneOfOne(String combination) {
    return combination.equals("count") || combination.equals("softmax")
        || combination.equals("sparsemax");
  }

  /** The parameters that differ by neuron. */
  static int[] words(Transformation transformation) {
    if (transformation instanceof AtIndex) {
      return new int[] {Parameters.index((AtIndex) transformation)};
    }
    return transformation instanceof Slice ? Parameters.bounds((Slice) transformation) : NO_WORDS;
  }

  static String transformationName(ActivationFcn function) throws Unsupported {
    return lookUp(TRANSFORMATIONS, "transformation", function);
  }

  static String combinationName(ActivationFcn function) throws Unsupported {
    return lookUp(COMBINATIONS, "combination", function);
  }

  private static String lookUp(Map<String, String> names, String kind, ActivationFcn function)
      throws Unsupported {
    String found = names.get(function.getClass().getSimpleName());
    if (found == null) throw new Unsupported(kind + " " + function.getClass().getSimpleName());
    return found;
  }

  private static Map<String, String> names(String... pairs) {
    Map<String, String> out = new HashMap<>();
    for (String pair : pairs) {
      int space = pair.indexOf(' ');
      out.put(pair.substring(0, space), pair.substring(space + 1));
    }
    return out;
  }
}
