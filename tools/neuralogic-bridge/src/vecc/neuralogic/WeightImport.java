package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.weights.Weight;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Weights back from vecc (docs/weights.md): every tensor must be a weight table of the graph, and every
 * table that learns a tensor. All differences are listed, and after one nothing has changed.
 */
final class WeightImport {
  private static final int MOST_PROBLEMS = 20;

  private final List<WeightTable> tables;
  private final List<String> problems = new ArrayList<>();

  WeightImport(List<WeightTable> tables) {
    this.tables = tables;
  }

  void load(Path path) throws Failure {
    try (Safetensors file = new Safetensors(path)) {
      List<double[]> values = new ArrayList<>();
      for (WeightTable table : tables) values.add(read(file, table));
      checkUnused(file);
      if (!problems.isEmpty()) {
        throw new Failure(Failure.INPUT, path + ": is not of this model, nothing was changed:\n  "
            + String.join("\n  ", problems));
      }
      for (int i = 0; i < values.size(); i++) {
        if (tables.get(i).learnable) set(tables.get(i), values.get(i));
      }
    } catch (IOException e) {
      throw new Failure(Failure.INPUT, path + ": cannot be read (" + e.getMessage() + ")");
    }
  }

  /** The values of all rows; null after a problem, or if a fixed table is not in the file. */
  private double[] read(Safetensors file, WeightTable table) throws IOException {
    Safetensors.Tensor tensor = file.tensors.get(table.name);
    String name = "weight table \"" + table.name + "\"";
    if (tensor == null) {
      if (table.learnable) differ(name + " is not in the file");
      return null;
    }
    long[] expected = table.tensorShape();
    if (!Arrays.equals(tensor.shape, expected)) {
      differ(name + " has shape " + Arrays.toString(tensor.shape) + " in the file, expected "
          + Arrays.toString(expected));
      return null;
    }
    if (!tensor.isFloat()) {
      differ(name + " holds " + tensor.type + ", expected F32 or F64");
      return null;
    }
    String rows = file.metadata.get("rows of " + table.name);
    if (rows != null && table.rowNames != null && !rows.equals(digest(table.rowNames))) {
      differ(name + " has rows of other names, or in another order, than in the file");
      return null;
    }
    double[] values = file.values(tensor);
    checkValues(name, table, values);
    return values;
  }

  private void checkValues(String name, WeightTable table, double[] values) {
    int size = table.shape.size();
    for (int i = 0; i < values.length; i++) {
      if (Double.isNaN(values[i]) || Double.isInfinite(values[i])) {
        differ(name + " has the value " + values[i] + " at element " + i);
        return;
      }
      boolean other = Shape.element(table.weights.get(i / size).value, i % size) != values[i];
      if (!table.learnable && other) {
        differ(name + " is fixed and has other values in the file");
        return;
      }
    }
  }

  private void checkUnused(Safetensors file) {
    Set<String> unused = new LinkedHashSet<>(file.tensors.keySet());
    for (WeightTable table : tables) unused.remove(table.name);
    for (String name : unused) differ("tensor \"" + name + "\" is no weight table of the model");
  }

  private void differ(String problem) {
    if (problems.size() < MOST_PROBLEMS) problems.add(problem);
  }

  private static void set(WeightTable table, double[] values) {
    int next = 0;
    for (Weight weight : table.weights) {
      for (int i = 0; i < table.shape.size(); i++) weight.value.set(i, values[next++]);
    }
  }

  /** As vecc's digest_of_rows: the CRC-32 of all names, then of where each begins, as 64-bit words. */
  static String digest(List<String> names) {
    CRC32 crc = new CRC32();
    for (String name : names) crc.update(name.getBytes(StandardCharsets.UTF_8));
    long begin = 0;
    update(crc, begin);
    for (String name : names) {
      begin += name.getBytes(StandardCharsets.UTF_8).length;
      update(crc, begin);
    }
    return String.format("%08x", crc.getValue());
  }

  private static void update(CRC32 crc, long word) {
    for (int shift = 0; shift < 64; shift += 8) crc.update((int) (word >>> shift));
  }
}
