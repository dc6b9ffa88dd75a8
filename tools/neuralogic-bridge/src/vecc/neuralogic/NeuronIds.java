package vecc.neuralogic;

import cz.cvut.fel.ida.neural.networks.structure.components.neurons.BaseNeuron;
import java.util.Arrays;

/**
 * Neurons by identity, numbered in the order of their coming. (NeuraLogic's own hash and equality go by
 * index, which its iterators change. A java.util map would take three times the memory.)
 */
final class NeuronIds {
  private BaseNeuron<?, ?>[] neurons = new BaseNeuron<?, ?>[1024];
  private int[] slots = new int[4096]; // position + 1; 0: free
  private int size;

  int size() {
    return size;
  }

  BaseNeuron<?, ?> get(int position) {
    return neurons[position];
  }

  /** The position, or -1. */
  int find(Object neuron) {
    return slots[slotOf(neuron)] - 1;
  }

  /** Whether it was new; then its position is size() - 1. */
  boolean add(BaseNeuron<?, ?> neuron) {
    int slot = slotOf(neuron);
    if (slots[slot] != 0) return false;
    if (size == neurons.length) neurons = Arrays.copyOf(neurons, grown(size));
    neurons[size++] = neuron;
    slots[slot] = size;
    if (size > slots.length / 3) rehash();
    return true;
  }

  static int grown(int length) {
    return (int) Math.min(Integer.MAX_VALUE - 16, length + (length >> 1) + 16L);
  }

  private int slotOf(Object neuron) {
    int mask = slots.length - 1;
    int slot = System.identityHashCode(neuron) & mask; // random bits
    while (slots[slot] != 0 && neurons[slots[slot] - 1] != neuron) slot = slot + 1 & mask;
    return slot;
  }

  private void rehash() {
    slots = new int[2 * slots.length];
    for (int i = 0; i < size; i++) slots[slotOf(neurons[i])] = i + 1;
  }
}
