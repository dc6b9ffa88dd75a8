package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.MatrixValue;
import cz.cvut.fel.ida.algebra.values.ScalarValue;
import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.algebra.values.VectorValue;

/** Of a value: 0 x 0 is a scalar, n x 1 a column, 1 x n a row. Elements are in row-major order. */
final class Shape {
  static final Shape SCALAR = new Shape(0, 0);

  final int rows;
  final int columns;

  Shape(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
  }

  /** Null if vecc has no such value (text, tensors of more than two sides). */
  static Shape of(Value value) {
    if (value instanceof VectorValue) {
      VectorValue vector = (VectorValue) value;
      int length = vector.values.length;
      return vector.rowOrientation ? new Shape(1, length) : new Shape(length, 1);
    }
    if (value instanceof MatrixValue) {
      return new Shape(((MatrixValue) value).rows, ((MatrixValue) value).cols);
    }
    return value instanceof ScalarValue || isOne(value) || isZero(value) ? SCALAR : null;
  }

  static double element(Value value, int index) {
    if (value instanceof ScalarValue) return ((ScalarValue) value).value;
    if (value instanceof VectorValue) return ((VectorValue) value).values[index];
    if (value instanceof MatrixValue) return ((MatrixValue) value).values[index];
    if (isOne(value)) return 1;
    if (isZero(value)) return 0;
    throw new IllegalArgumentException(value.getClass().getSimpleName());
  }

  /** NeuraLogic's constants; a model that was read from a file has copies of them. */
  static boolean isOne(Value value) {
    return value.getClass() == Value.ONE.getClass();
  }

  static boolean isZero(Value value) {
    return value.getClass() == Value.ZERO.getClass();
  }

  int size() {
    return isScalar() ? 1 : Math.multiplyExact(rows, columns);
  }

  boolean isScalar() {
    return rows == 0 && columns == 0;
  }

  Message message() {
    return new Message().number(1, rows & 0xFFFFFFFFL).number(2, columns & 0xFFFFFFFFL);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape && ((Shape) other).rows == rows
        && ((Shape) other).columns == columns;
  }

  @Override
  public int hashCode() {
    return 31 * rows + columns;
  }

  /** As in vecc's texts: `1`, `3x1`. */
  @Override
  public String toString() {
    return isScalar() ? "1" : rows + "x" + columns;
  }
}
