package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.values.inits.ValueInitializer;
import cz.cvut.fel.ida.learning.LearningSample;
import cz.cvut.fel.ida.logic.constructs.example.LogicSample;
import cz.cvut.fel.ida.logic.constructs.template.Template;
import cz.cvut.fel.ida.logic.grounding.GroundingSample;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralModel;
import cz.cvut.fel.ida.neural.networks.computation.training.NeuralSample;
import cz.cvut.fel.ida.neuralogic.cli.utils.CommandLineHandler;
import cz.cvut.fel.ida.pipelines.Pipeline;
import cz.cvut.fel.ida.pipelines.building.PythonBuilder;
import cz.cvut.fel.ida.pipelines.building.SamplesProcessingBuilder;
import cz.cvut.fel.ida.setup.Settings;
import cz.cvut.fel.ida.setup.Source;
import cz.cvut.fel.ida.setup.Sources;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * From NeuraLogic's command line arguments to a model and its samples. The weights are initial ones, as
 * NeuraLogic draws them for its own training, or those of a model that was saved.
 */
final class Grounding {
  final Settings settings = new Settings();
  final Template template;
  final NeuralModel model;
  final List<NeuralSample> samples = new ArrayList<>();

  /**
   * `compressed`: with NeuraLogic's chain pruning and iso-value compression. Pruning drops neurons with
   * one input together with their functions, and so changes values; vecc's own passes do not.
   */
  Grounding(List<String> arguments, String outDir, boolean compressed, Progress progress)
      throws Exception {
    settings.outDir = outDir;
    setCompression(compressed);
    Sources sources = Sources.getSources(new CommandLineHandler()
        .parseParams(arguments.toArray(new String[0]), settings), settings);
    if (!compressed) setCompression(false); // whatever a file of settings says
    if (sources.crossvalidation) {
      throw new Failure(Failure.USAGE,
          "no cross-validation of NeuraLogic (-xval, folders of folds): vecc --train --folds=5 has one");
    }
    PythonBuilder builder = new PythonBuilder(settings);
    template = builder.buildTemplate(sources);
    if (!sources.testOnly) {
      Pipeline<Sources, Stream<GroundingSample>> train =
          builder.buildGroundings(template, sources, counter(progress, "samples grounded"));
      train.execute(sources);
      neuralize(builder, train.get(), LearningSample.Split.UNKNOWN, progress);
    }
    if (sources.testOnly || sources.trainTest) groundTests(builder, sources, progress);
    template.assignInitialisationHints(settings);
    model = new NeuralModel(template.getAllWeights(), settings);
    if (sources.binaryTemplateStream == null) {
      model.resetWeights(ValueInitializer.getInitializer(settings));
    }
  }

  private void setCompression(boolean on) {
    settings.chainPruning = on;
    settings.isoValueCompression = on;
  }

  private void groundTests(PythonBuilder builder, Sources sources, Progress progress)
      throws Exception {
    Pipeline<Source, Stream<LogicSample>> read =
        new SamplesProcessingBuilder(settings, sources.test).buildPipeline();
    read.execute(sources.test);
    Pipeline<Sources, Stream<GroundingSample>> test =
        builder.buildGroundings(template, read.get(), counter(progress, "test samples grounded"));
    test.execute(sources);
    neuralize(builder, test.get(), LearningSample.Split.TEST, progress);
  }

  private void neuralize(PythonBuilder builder, Stream<GroundingSample> groundings,
      LearningSample.Split split, Progress progress) throws Exception {
    Pipeline<Stream<GroundingSample>, Stream<NeuralSample>> pipeline =
        builder.neuralize(groundings, counter(progress, "networks built"));
    pipeline.execute(null);
    for (NeuralSample sample : pipeline.get().collect(Collectors.toList())) {
      if (split == LearningSample.Split.TEST) sample.type = split;
      samples.add(sample);
    }
  }

  private static IntConsumer counter(Progress progress, String what) {
    return done -> progress.at(done, what);
  }
}
