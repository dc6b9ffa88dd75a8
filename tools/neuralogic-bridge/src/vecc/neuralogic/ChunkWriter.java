package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.algebra.weights.Weight;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.WeightedNeuron;
import cz.cvut.fel.ida.neural.networks.structure.components.neurons.types.FactNeuron;
import java.io.IOException;
import java.util.List;

/** Pass 2: the columns of a chunk, in parts of some MiB, so that no more than a part is in memory. */
final class ChunkWriter {
  private static final int PART_BYTES = 8 << 20;

  private final NeuronScan scan;
  private final Layout layout;
  private final WeightTables tables;
  private final GraphWriter out;
  private final boolean withNames;
  private long edges;

  private final Message floats = new Message(), doubles = new Message(), factWeights = new Message(),
      fanIns = new Message(), inputs = new Message(), weights = new Message(),
      offsets = new Message(), words = new Message(), names = new Message();
  private boolean holdsFloats, hasWeights, hasOffsets, oneFanIn;
  private int firstFanIn;

  ChunkWriter(NeuronScan scan, Layout layout, WeightTables tables, GraphWriter out,
      boolean withNames) {
    this.scan = scan;
    this.layout = layout;
    this.tables = tables;
    this.out = out;
    this.withNames = withNames;
  }

  long edges() {
    return edges;
  }

  /** `continued`: the group has a chunk before. */
  void write(Chunk chunk, boolean continued) throws IOException, Failure {
    int begin = chunk.firstId, end = chunk.firstId + chunk.count;
    clear();
    for (int id = begin; id < end; id++) {
      add(chunk, scan.neurons.get(layout.positions[id]));
      if (id + 1 < end && doubles.size() + inputs.size() + names.size() < PART_BYTES) continue;
      out.write(GraphWriter.GROUP, part(chunk, begin, id + 1 - begin, continued));
      continued = true;
      begin = id + 1;
      clear();
    }
  }

  private void add(Chunk chunk, BaseNeuron<?, ?> neuron) throws Failure {
    if (withNames) names.presentText(20, Group.literalOf(neuron));
    switch (chunk.fact) {
      case UNIT: break;
      case LEARNABLE: factWeights.fixed32(tables.idOf(((FactNeuron) neuron).getOffset())); break;
      case CONSTANT: addValue(NeuronScan.valueOf((FactNeuron) neuron), chunk.shape.size()); break;
      default: addInputs(neuron);
    }
  }

  private void addValue(Value value, int size) {
    for (int i = 0; i < size; i++) {
      double element = Shape.element(value, i);
      holdsFloats &= (float) element == element;
      floats.fixed32(Float.floatToIntBits((float) element));
      doubles.fixed64(Double.doubleToLongBits(element));
    }
  }

  private void addInputs(BaseNeuron<?, ?> neuron) throws Failure {
    List<?> read = neuron.getInputs();
    for (Object input : read) {
      int position = scan.neurons.find(input);
      if (position < 0) {
        throw new Failure(Failure.INTERNAL, "the neuron " + neuron.getName() + " reads "
            + input + ", which is in no sample's network");
      }
      inputs.fixed32(layout.fileIds[position]);
    }
    edges += read.size();
    if (fanIns.size() == 0) firstFanIn = read.size();
    oneFanIn &= read.size() == firstFanIn;
    fanIns.varint(read.size());
    addWeights(neuron, read.size());
    for (int word : Functions.words(neuron.getComputationView(0).getFcnState().getTransformation())) {
      words.varint(word & 0xFFFFFFFFL);
    }
  }

  /** Plain neurons have neither; in one chunk with weighted ones they have unit weights. */
  private void addWeights(BaseNeuron<?, ?> neuron, int count) {
    boolean weighted = neuron instanceof WeightedNeuron;
    List<Weight> own = weighted ? ((WeightedNeuron<?, ?>) neuron).getWeights() : null;
    for (int i = 0; i < count; i++) {
      int id = weighted ? tables.inputId(own.get(i)) : WeightTables.NONE;
      hasWeights |= id != WeightTables.NONE;
      weights.fixed32(id);
    }
    int offset = weighted ? tables.offsetId(((WeightedNeuron<?, ?>) neuron).getOffset())
        : WeightTables.NONE;
    hasOffsets |= offset != WeightTables.NONE;
    offsets.fixed32(offset);
  }

  private Message part(Chunk chunk, int firstId, int count, boolean continued) {
    Message part = new Message().number(1, chunk.groupId).number(2, continued ? 1 : 0);
    if (!continued) {
      part.number(3, chunk.group.neuronClass).text(4, chunk.group.predicate);
      part.text(5, chunk.group.ruleText());
    }
    boolean fact = chunk.fact != Kind.Fact.NONE;
    if (!fact) part.message(6, chunk.function.message());
    if (chunk.shape != null) part.message(7, chunk.shape.message());
    part.number(8, firstId).number(9, count).number(10, fact ? 1 : 0);
    part.packed(holdsFloats ? 11 : 12, holdsFloats ? floats : doubles).packed(13, factWeights);
    part.packed(14, !fact && oneFanIn ? new Message().varint(firstFanIn) : fanIns);
    part.packed(15, inputs);
    if (hasWeights) part.packed(17, weights);
    if (hasOffsets) part.packed(18, offsets);
    return part.packed(19, words).append(names);
  }

  private void clear() {
    Message[] all = {floats, doubles, factWeights, fanIns, inputs, weights, offsets, words, names};
    for (Message column : all) column.clear();
    holdsFloats = oneFanIn = true;
    hasWeights = hasOffsets = false;
  }
}
