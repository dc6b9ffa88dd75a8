package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ActivationFcn;
import cz.cvut.fel.ida.algebra.functions.combination.Concatenation;
import cz.cvut.fel.ida.algebra.functions.combination.FunctionGraph.FunctionGraphNode;
import cz.cvut.fel.ida.algebra.functions.transformation.elementwise.LeakyReLu;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.AtIndex;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Reshape;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Slice;

/** A FunctionGraph as the text of an expression (docs/functions.md): `elproduct(sum($0, $1), $2)`. */
final class Expressions {
  private Expressions() {}

  static String text(FunctionGraphNode root) throws Unsupported {
    StringBuilder out = new StringBuilder();
    append(root, out);
    return out.toString();
  }

  private static void append(FunctionGraphNode node, StringBuilder out) throws Unsupported {
    boolean single = node.nodes.length == 1;
    out.append(single ? Functions.transformationName(node.function)
        : Functions.combinationName(node.function));
    out.append(parameters(node.function)).append('(');
    for (int i = 0; i < node.nodes.length; i++) {
      if (i > 0) out.append(", ");
      if (node.nodes[i] == null) {
        out.append('$').append(node.indices[i]);
      } else {
        append(node.nodes[i], out);
      }
    }
    out.append(')');
  }

  private static String parameters(ActivationFcn function) {
    if (function instanceof LeakyReLu) return "[" + Parameters.slope((LeakyReLu) function) + "]";
    if (function instanceof AtIndex) return "[" + Parameters.index((AtIndex) function) + "]";
    if (function instanceof Reshape) return "[" + Parameters.target((Reshape) function) + "]";
    if (function instanceof Concatenation) {
      int axis = Parameters.axis((Concatenation) function);
      return axis == -1 ? "" : "[axis=" + axis + "]";
    }
    if (!(function instanceof Slice)) return "";
    int[] bounds = Parameters.bounds((Slice) function);
    return "[" + range(bounds[0], bounds[1]) + ", " + range(bounds[2], bounds[3]) + "]";
  }

  private static String range(int begin, int end) {
    return begin + ":" + (end == Parameters.SIDE_LENGTH ? "" : Integer.toString(end));
  }
}
