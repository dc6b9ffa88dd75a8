package vecc.neuralogic;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;

/** Writes graph.pb as the stream of its top-level fields (docs/format.md, section 2). */
final class GraphWriter {
  static final int MAGIC = 0x43434556;
  static final int WEIGHT_TABLE = 3, GROUP = 4, SAMPLES = 5, END = 15;

  private final CRC32 checksum = new CRC32();
  private final OutputStream out;

  GraphWriter(OutputStream out, String producer) throws IOException {
    this.out = new CheckedOutputStream(new BufferedOutputStream(out, 1 << 16), checksum);
    new Message().fixed32Field(1, MAGIC).writeTo(this.out);
    write(2, new Message().number(1, 1).text(2, producer));
  }

  void write(int field, Message value) throws IOException {
    Message head = new Message().varint((long) field << 3 | 2).varint(value.size());
    head.writeTo(out);
    value.writeTo(out);
  }

  /** The last field: counts, and the CRC-32 of all bytes before it. */
  void end(long neurons, long edges, long weights, long samples) throws IOException {
    Message end = new Message();
    long[] counts = {neurons, edges, weights, samples};
    for (int i = 0; i < counts.length; i++) end.fixed64Field(i + 1, counts[i]);
    end.fixed32Field(5, (int) checksum.getValue());
    write(END, end);
    out.flush();
  }
}
