package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.algebra.weights.Weight;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All weights of a graph and their ids. Weights are told apart by identity: NeuraLogic's indices below 0
 * stand for several of them. Fixed ones of equal values are one.
 */
final class WeightTables {
  /** The unit weight of an input, and no offset. */
  static final int NONE = -1; // 0xFFFFFFFF

  private static final class Place {
    final WeightTable table;
    final int row;

    Place(WeightTable table, int row) {
      this.table = table;
      this.row = row;
    }
  }

  private final List<WeightTable> tables = new ArrayList<>();
  private final Map<Weight, Place> places = new IdentityHashMap<>();
  private final Map<Integer, Weight> ofModel = new HashMap<>();
  private final Map<String, Place> fixed = new HashMap<>();
  private final Map<String, WeightTable> factTables = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  List<WeightTable> tables() {
    return tables;
  }

  /** The template's weights come first, so that their names are as they are. */
  void addModel(List<Weight> weights) throws Unsupported {
    for (Weight weight : weights) {
      if (weight.isLearnable()) ofModel.putIfAbsent(weight.index, weight);
      if (!Shape.isOne(weight.value) && !Shape.isZero(weight.value)) add(weight);
    }
  }

  void addInputWeight(Weight weight) throws Unsupported {
    if (!isUnit(weight)) addOfNeuron(weight);
  }

  void addOffset(Weight weight) throws Unsupported {
    if (isOffset(weight)) addOfNeuron(weight);
  }

  /** What another model's networks learn would never reach this one. */
  private void addOfNeuron(Weight weight) throws Unsupported {
    if (places.containsKey(weight)) return;
    if (weight.isLearnable() && !isOfModel(weight)) {
      throw new Unsupported("weight " + weight.name + ", which is not of the given model");
    }
    add(weight);
  }

  private boolean isOfModel(Weight weight) {
    Weight known = ofModel.get(weight.index);
    return known != null && known.value == weight.value;
  }

  private void add(Weight weight) throws Unsupported {
    if (places.containsKey(weight)) return;
    Weight known = weight.isLearnable() && isOfModel(weight) ? ofModel.get(weight.index) : null;
    if (known != null && known != weight) {
      places.put(weight, places.get(known)); // a copy that shares its value
      return;
    }
    Shape shape = shapeOf(weight);
    String key = weight.isLearnable() ? null : contentOf(weight.value, shape);
    Place place = key == null ? null : fixed.get(key);
    if (place == null) {
      WeightTable table = addTable(weight.name, shape, weight.isLearnable(), false);
      place = addRow(table, weight);
      if (key != null) fixed.put(key, place);
    }
    places.put(weight, place);
  }

  /** The weight of a learnable fact: the template's, or a row of the table of its predicate. */
  void addFact(Weight weight, String predicate, String literal) throws Unsupported {
    if (places.containsKey(weight)) return;
    if (isOfModel(weight)) {
      add(weight);
      return;
    }
    Shape shape = shapeOf(weight);
    String key = predicate + " " + shape;
    WeightTable table = factTables.get(key);
    if (table == null) {
      String name = names.contains(predicate) ? key : predicate;
      table = addTable(name, shape, true, true);
      factTables.put(key, table);
    }
    places.put(weight, addRow(table, weight));
    table.rowNames.add(literal);
  }

  /** After the last weight. */
  void assignIds() {
    int next = 0;
    for (WeightTable table : tables) {
      table.firstId = next;
      next = Math.addExact(next, table.weights.size());
    }
  }

  int inputId(Weight weight) {
    return isUnit(weight) ? NONE : idOf(weight);
  }

  int offsetId(Weight weight) {
    return isOffset(weight) ? idOf(weight) : NONE;
  }

  int idOf(Weight weight) {
    Place place = places.get(weight);
    return place.table.firstId + place.row;
  }

  static boolean isUnit(Weight weight) {
    return Shape.isOne(weight.value);
  }

  /** NeuraLogic's own condition: the constant ZERO is no element of the list. */
  static boolean isOffset(Weight weight) {
    return weight.value != Value.ZERO;
  }

  private Place addRow(WeightTable table, Weight weight) {
    table.weights.add(weight);
    return new Place(table, table.weights.size() - 1);
  }

  private WeightTable addTable(String wanted, Shape shape, boolean learnable, boolean hasRowNames) {
    String name = wanted == null || wanted.isEmpty() ? "weight" : wanted;
    for (int i = 2; !names.add(name); i++) name = wanted + " (" + i + ")";
    WeightTable table = new WeightTable(name, shape, learnable, hasRowNames);
    tables.add(table);
    return table;
  }

  private static Shape shapeOf(Weight weight) throws Unsupported {
    Shape shape = Shape.of(weight.value);
    if (shape == null) {
      throw new Unsupported("a " + weight.value.getClass().getSimpleName() + " as weight "
          + weight.name);
    }
    for (int i = 0; i < shape.size(); i++) {
      double value = Shape.element(weight.value, i);
      if (Double.isNaN(value) || Double.isInfinite(value)) {
        throw new Unsupported("the value " + value + " in weight " + weight.name);
      }
    }
    return shape;
  }

  private static String contentOf(Value value, Shape shape) {
    double[] elements = new double[shape.size()];
    for (int i = 0; i < elements.length; i++) elements[i] = Shape.element(value, i);
    return shape + " " + Arrays.toString(elements);
  }
}
