package vecc.neuralogic;

/** Neurons of a group with one function (or one kind of fact): consecutive ids of the file. */
final class Chunk {
  final Group group;
  final int groupId;
  final Kind.Fact fact;
  /** Null for facts. */
  final NeuronFunction function;
  /** Null where it need not be declared. */
  final Shape shape;
  int firstId;
  int count;

  Chunk(Group group, int groupId, Kind kind, NeuronFunction function) {
    this.group = group;
    this.groupId = groupId;
    this.fact = kind.fact;
    this.function = function;
    this.shape = kind.shape;
  }
}
