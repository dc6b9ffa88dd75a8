package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.Value;
import cz.cvut.fel.ida.neural.networks.computation.iteration.visitors.weights.WeightUpdater;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralModel;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neural.networks.computation.training.strategies.trainers.SequentialTrainer;
import cz.cvut.fel.ida.setup.Settings;

/** NeuraLogic's own forward and backward pass. Old values are cleared before each sample: samples share neurons. */
final class Evaluation {
  private final SequentialTrainer trainer;

  Evaluation(Settings settings, NeuralModel model) {
    trainer = new SequentialTrainer(settings, null, model);
  }

  Value evaluate(NeuralSample sample) {
    trainer.invalidateSample(trainer.getInvalidation(), sample);
    return trainer.evaluateSample(trainer.getEvaluation(), sample).getOutput();
  }

  /** After evaluate. */
  WeightUpdater backpropagate(NeuralSample sample, Value gradient) {
    return trainer.getBackpropagation().backpropagate(sample, gradient);
  }

  static double[] elements(Value value) {
    double[] out = new double[Shape.of(value).size()];
    for (int i = 0; i < out.length; i++) out[i] = Shape.element(value, i);
    return out;
  }
}
