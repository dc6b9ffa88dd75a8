package vecc.neuralogic;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes of a protobuf message as they grow, or of the entries of a packed column. Fields that are 0,
 * false or empty are not written (docs/format.md, section 2).
 */
final class Message {
  private static final int VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;

  private byte[] bytes = new byte[256];
  private int size;

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, size);
  }

  // Entries.

  Message varint(long value) {
    reserve(10);
    while ((value & ~0x7FL) != 0) {
      bytes[size++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    bytes[size++] = (byte) value;
    return this;
  }

  Message fixed32(int value) {
    reserve(4);
    for (int shift = 0; shift < 32; shift += 8) bytes[size++] = (byte) (value >>> shift);
    return this;
  }

  Message fixed64(long value) {
    reserve(8);
    for (int shift = 0; shift < 64; shift += 8) bytes[size++] = (byte) (value >>> shift);
    return this;
  }

  // Fields.

  Message number(int field, long value) {
    return value == 0 ? this : tag(field, VARINT).varint(value);
  }

  /** A number that is written even if it is 0. */
  Message presentDouble(int field, double value) {
    return tag(field, FIXED64).fixed64(Double.doubleToLongBits(value));
  }

  /** sint32: 0, -1, 1 are 0, 1, 2. */
  Message presentSigned(int field, int value) {
    return tag(field, VARINT).varint((value << 1 ^ value >> 31) & 0xFFFFFFFFL);
  }

  Message fixed32Field(int field, int value) {
    return tag(field, FIXED32).fixed32(value);
  }

  Message fixed64Field(int field, long value) {
    return tag(field, FIXED64).fixed64(value);
  }

  Message text(int field, String value) {
    return value.isEmpty() ? this : presentText(field, value);
  }

  Message presentText(int field, String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return tag(field, BYTES).varint(utf8.length).append(utf8, utf8.length);
  }

  Message message(int field, Message value) {
    return tag(field, BYTES).varint(value.size).append(value.bytes, value.size);
  }

  Message packed(int field, Message entries) {
    return entries.size == 0 ? this : message(field, entries);
  }

  private Message tag(int field, int type) {
    return varint((long) field << 3 | type);
  }

  /** Fields that are there already, without a tag. */
  Message append(Message fields) {
    return append(fields.bytes, fields.size);
  }

  private Message append(byte[] from, int count) {
    reserve(count);
    System.arraycopy(from, 0, bytes, size, count);
    size += count;
    return this;
  }

  private void reserve(int more) {
    if (more <= bytes.length - size) return;
    long wanted = Math.max(2L * bytes.length, (long) size + more);
    long most = Integer.MAX_VALUE - 16;
    if ((long) size + more > most) {
      throw new IllegalStateException("one neuron fills a field of more than 2 GiB");
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(wanted, most));
  }
}
