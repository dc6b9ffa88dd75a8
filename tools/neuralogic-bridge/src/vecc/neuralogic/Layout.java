package vecc.neuralogic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where the neurons stand in the file: group after group, chunk after chunk, numbered from 0. */
final class Layout {
  final List<Chunk> chunks = new ArrayList<>();
  /** By position: the neuron's id in the file. */
  final int[] fileIds;
  /** By id in the file: the position. */
  final int[] positions;
  private final NeuronScan scan;

  Layout(NeuronScan scan) {
    this.scan = scan;
    int size = scan.neurons.size();
    fileIds = new int[size];
    positions = new int[size];
    Chunk[] chunkOf = makeChunks();
    for (int i = 0; i < size; i++) chunkOf[scan.kindId(i)].count++;
    int next = 0;
    for (Chunk chunk : chunks) {
      chunk.firstId = next;
      next += chunk.count;
      chunk.count = 0;
    }
    for (int i = 0; i < size; i++) {
      Chunk chunk = chunkOf[scan.kindId(i)];
      fileIds[i] = chunk.firstId + chunk.count++;
      positions[fileIds[i]] = i;
    }
  }

  /** By kind; kinds that differ in nothing but their rule share a chunk. */
  private Chunk[] makeChunks() {
    Map<Group, Integer> groupIds = new HashMap<>();
    for (Group group : scan.groups) groupIds.put(group, groupIds.size());
    Map<Kind, Chunk> chunkOfKind = new HashMap<>();
    Chunk[] out = new Chunk[scan.kinds.size()];
    for (int i = 0; i < out.length; i++) {
      Kind kind = scan.kinds.get(i);
      NeuronFunction function =
          kind.function == null ? null : kind.group.complete(kind.function, kind.rule);
      Kind whole = new Kind(kind.group, kind.fact, function, kind.shape, "");
      out[i] = chunkOfKind.computeIfAbsent(whole, key -> {
        Chunk chunk = new Chunk(key.group, groupIds.get(key.group), key, function);
        key.group.chunks.add(chunk);
        return chunk;
      });
    }
    for (Group group : scan.groups) chunks.addAll(group.chunks);
    return out;
  }
}
