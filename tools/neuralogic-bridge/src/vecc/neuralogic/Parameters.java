package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ActivationFcn;
import cz.cvut.fel.ida.algebra.functions.combination.Concatenation;
import cz.cvut.fel.ida.algebra.functions.transformation.elementwise.LeakyReLu;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.AtIndex;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Reshape;
import cz.cvut.fel.ida.algebra.functions.transformation.joint.Slice;
import java.lang.reflect.Field;

/** Parameters of NeuraLogic's functions, most of which it keeps private. */
final class Parameters {
  /** Slice's end that is the side's length. */
  static final int SIDE_LENGTH = -1; // 0xFFFFFFFF

  private static final Field INDEX = field(AtIndex.class, "index");
  private static final Field ROWS = field(Slice.class, "rows");
  private static final Field COLUMNS = field(Slice.class, "cols");
  private static final Field SHAPE = field(Reshape.class, "shape");
  private static final Field AXIS = field(Concatenation.class, "axis");

  private Parameters() {}

  static double slope(LeakyReLu function) {
    return function.slope();
  }

  static int axis(Concatenation function) {
    return (Integer) get(AXIS, function);
  }

  static int index(AtIndex function) {
    return (Integer) get(INDEX, function);
  }

  /** Row begin, row end, column begin, column end. */
  static int[] bounds(Slice function) {
    int[] rows = (int[]) get(ROWS, function), columns = (int[]) get(COLUMNS, function);
    return new int[] {rows == null ? 0 : rows[0], rows == null ? SIDE_LENGTH : rows[1],
        columns == null ? 0 : columns[0], columns == null ? SIDE_LENGTH : columns[1]};
  }

  /** NeuraLogic's: one side is a column, or with 0 a scalar; a side of 0 beside n is a vector of n. */
  static Shape target(Reshape function) {
    int[] sides = (int[]) get(SHAPE, function);
    int rows = sides[0], columns = sides.length == 1 ? (rows == 0 ? 0 : 1) : sides[1];
    if (rows == 0 && columns > 0) return new Shape(columns, 1);
    if (columns == 0 && rows > 0) return new Shape(1, rows);
    return new Shape(rows, columns);
  }

  private static Field field(Class<? extends ActivationFcn> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new NoSuchFieldError(type.getName() + "." + name); // another version of NeuraLogic
    }
  }

  private static Object get(Field field, Object object) {
    try {
      return field.get(object);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
