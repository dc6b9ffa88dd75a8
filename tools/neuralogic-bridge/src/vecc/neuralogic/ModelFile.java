package vecc.neuralogic;

import cz.cvut.fel.ida.logic.constructs.template.Template;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.nio.file.Paths;

/** A template with its weights as NeuraLogic itself saves and loads it (-t model.java). */
final class ModelFile {
  private ModelFile() {}

  static Path checkName(String path) throws Failure {
    if (path.endsWith(".java")) return Paths.get(path);
    throw new Failure(Failure.USAGE, path + ": NeuraLogic knows its models by names that end in .java");
  }

  static void write(Template template, Path path) throws Failure {
    try (AtomicFile file = new AtomicFile(path)) {
      ObjectOutputStream out = new ObjectOutputStream(new BufferedOutputStream(file.stream()));
      out.writeObject(template);
      out.flush();
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }
}
