package vecc.neuralogic;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** A safetensors file as vecc writes it: 8 bytes of length, a header in JSON, numbers (F32 or F64). */
final class Safetensors implements Closeable {
  private static final int MOST_HEADER = 100_000_000;
  private static final int BLOCK = 1 << 20; // elements (of the CRC-32: bytes) read at once
  private static final byte[] CHECKSUM_MARK =
      "{\"__metadata__\":{\"vecc.crc32\":\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_CHECKSUM = "00000000".getBytes(StandardCharsets.US_ASCII);

  static final class Tensor {
    final String type;
    final long[] shape;
    final long begin;
    final long end;

    Tensor(String type, long[] shape, long begin, long end) {
      this.type = type;
      this.shape = shape;
      this.begin = begin;
      this.end = end;
    }

    boolean isFloat() {
      return type.equals("F32") || type.equals("F64");
    }

    int elementSize() {
      return type.equals("F64") ? 8 : 4;
    }
  }

  final Map<String, Tensor> tensors = new LinkedHashMap<>();
  final Map<String, String> metadata = new LinkedHashMap<>();
  private final Path path;
  private final FileChannel channel;
  private final long dataBegin;

  Safetensors(Path path) throws Failure {
    this.path = path;
    try {
      channel = FileChannel.open(path, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new Failure(Failure.INPUT, path + ": cannot be read (" + e.getClass().getSimpleName() + ")");
    }
    try {
      dataBegin = readHeader();
      checkBytes();
    } catch (IOException | IllegalArgumentException | ClassCastException e) {
      close();
      String why = e instanceof ClassCastException ? "its header has a value of another type"
          : e.getMessage();
      throw new Failure(Failure.INPUT, path + ": is no safetensors file: " + why);
    } catch (Failure damaged) {
      close();
      throw damaged;
    }
  }

  /** Whether it is such a file, before the work for it is done. */
  static void check(String path) throws Failure {
    new Safetensors(Paths.get(path)).close();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Only read from.
    }
  }

  private long readHeader() throws IOException {
    long size = read(0, 8).getLong();
    if (size < 2 || size > MOST_HEADER || size > channel.size() - 8) {
      throw new IllegalArgumentException("its header has " + size + " bytes of "
          + channel.size());
    }
    String text = StandardCharsets.UTF_8.decode(read(8, (int) size)).toString();
    for (Map.Entry<?, ?> entry : ((Map<?, ?>) Json.parse(text)).entrySet()) {
      Map<?, ?> value = (Map<?, ?>) entry.getValue();
      if (entry.getKey().equals("__metadata__")) {
        value.forEach((key, word) -> metadata.put((String) key, (String) word));
      } else {
        tensors.put((String) entry.getKey(), readTensor((String) entry.getKey(), value, 8 + size));
      }
    }
    return 8 + size;
  }

  /** A file of vecc's states the CRC-32 of its bytes, computed with zeros as its digits. */
  private void checkBytes() throws IOException, Failure {
    int digits = 8 + CHECKSUM_MARK.length;
    long size = channel.size(), at = digits + NO_CHECKSUM.length;
    if (size < at || !Arrays.equals(read(8, CHECKSUM_MARK.length).array(), CHECKSUM_MARK)) return;
    CRC32 crc = new CRC32();
    crc.update(read(0, digits));
    crc.update(NO_CHECKSUM);
    for (int count; at < size; at += count) {
      count = (int) Math.min(BLOCK, size - at);
      crc.update(read(at, count));
    }
    String found = String.format("%08x", crc.getValue());
    String stated = StandardCharsets.US_ASCII.decode(read(digits, NO_CHECKSUM.length)).toString();
    if (found.equals(stated)) return;
    throw new Failure(Failure.INPUT, path + ": its bytes have the CRC-32 " + found + ", expected "
        + stated + ": it is damaged; copy or write it again");
  }

  private Tensor readTensor(String name, Map<?, ?> value, long begin) throws IOException {
    List<?> sides = (List<?>) value.get("shape"), offsets = (List<?>) value.get("data_offsets");
    String type = (String) value.get("dtype");
    if (type == null || sides == null || offsets == null || offsets.size() != 2) {
      throw new IllegalArgumentException("tensor \"" + name + "\" is not described");
    }
    long[] shape = sides.stream().mapToLong(side -> (Long) side).toArray();
    Tensor out = new Tensor(type, shape, (Long) offsets.get(0), (Long) offsets.get(1));
    if (out.begin < 0 || out.end < out.begin || out.end > channel.size() - begin) {
      throw new IllegalArgumentException("tensor \"" + name + "\" ends beyond the file");
    }
    long bytes = out.elementSize();
    for (long side : shape) bytes = Math.multiplyExact(bytes, side);
    if (out.isFloat() && bytes != out.end - out.begin) {
      throw new IllegalArgumentException("tensor \"" + name + "\" has " + (out.end - out.begin)
          + " bytes, but its shape asks for " + bytes);
    }
    return out;
  }

  /** All elements, of which an array of Java can hold 2^31. */
  double[] values(Tensor tensor) throws IOException {
    int size = tensor.elementSize();
    double[] out = new double[Math.toIntExact((tensor.end - tensor.begin) / size)];
    for (int begin = 0; begin < out.length; begin += BLOCK) {
      int count = Math.min(BLOCK, out.length - begin);
      ByteBuffer bytes = read(dataBegin + tensor.begin + (long) begin * size, count * size);
      for (int i = 0; i < count; i++) {
        out[begin + i] = size == 8 ? bytes.getDouble() : bytes.getFloat();
      }
    }
    return out;
  }

  private ByteBuffer read(long position, int count) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    while (out.hasRemaining()) {
      if (channel.read(out, position + out.position()) < 0) {
        throw new IllegalArgumentException("it ends after " + channel.size() + " bytes");
      }
    }
    out.flip();
    return out;
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
