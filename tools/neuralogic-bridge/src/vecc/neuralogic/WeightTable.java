package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.weights.Weight;
import java.util.ArrayList;
import java.util.List;

/** Weights of one shape under one name: one of the template's, or the learnable facts of a predicate. */
final class WeightTable {
  private static final int MOST_BYTES = 8 << 20;

  final String name;
  final Shape shape;
  final boolean learnable;
  final List<Weight> weights = new ArrayList<>();
  /** The facts' literals; null for a table of the template. */
  final List<String> rowNames;
  int firstId;

  WeightTable(String name, Shape shape, boolean learnable, boolean hasRowNames) {
    this.name = name;
    this.shape = shape;
    this.learnable = learnable;
    this.rowNames = hasRowNames ? new ArrayList<>() : null;
  }

  /** As docs/weights.md says: [count], or [count, rows, columns]. */
  long[] tensorShape() {
    if (shape.isScalar()) return new long[] {weights.size()};
    return new long[] {weights.size(), shape.rows, shape.columns};
  }

  /** In chunks, as a field should not hold a whole large table. */
  void write(GraphWriter out) throws java.io.IOException {
    int chunk = Math.max(1, MOST_BYTES / 8 / Math.max(1, shape.size()));
    boolean floats = holdsFloats();
    for (int begin = 0; begin < weights.size(); begin += chunk) {
      int end = Math.min(weights.size(), begin + chunk);
      out.write(GraphWriter.WEIGHT_TABLE, chunk(begin, end, floats));
    }
  }

  private Message chunk(int begin, int end, boolean floats) {
    Message values = new Message();
    for (int row = begin; row < end; row++) {
      for (int i = 0; i < shape.size(); i++) {
        double value = Shape.element(weights.get(row).value, i);
        if (floats) {
          values.fixed32(Float.floatToIntBits((float) value));
        } else {
          values.fixed64(Double.doubleToLongBits(value));
        }
      }
    }
    Message out = new Message().text(1, name).number(2, firstId + (long) begin);
    out.number(3, end - begin).message(4, shape.message());
    out.number(5, learnable ? 0 : 1).number(6, begin > 0 ? 1 : 0);
    out.packed(floats ? 7 : 8, values);
    for (int row = begin; rowNames != null && row < end; row++) {
      out.presentText(9, rowNames.get(row));
    }
    return out;
  }

  private boolean holdsFloats() {
    for (Weight weight : weights) {
      for (int i = 0; i < shape.size(); i++) {
        double value = Shape.element(weight.value, i);
        if ((float) value != value) return false;
      }
    }
    return true;
  }
}
