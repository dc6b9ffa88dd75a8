package vecc.neuralogic;

import cz.cvut.fel.ida.algebra.functions.ElementWise;
import cz.cvut.fel.ida.logic.constructs.template.Template;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * A template with its weights as NeuraLogic itself saves and loads it (-t model.java). That format has no
 * place for the elementwise functions that a template names: NeuraLogic fails on reading such a model,
 * so that none is written.
 */
final class ModelFile {
  private ModelFile() {}

  static Path checkName(String path) throws Failure {
    if (path.endsWith(".java")) return Paths.get(path);
    throw new Failure(Failure.USAGE, path + ": NeuraLogic knows its models by names that end in .java");
  }

  static void write(Template template, Path path) throws Failure {
    try (AtomicFile file = new AtomicFile(path)) {
      Writer out = new Writer(new BufferedOutputStream(file.stream()));
      out.writeObject(template);
      out.flush();
      if (out.lost != null) {
        throw new Failure(Failure.INPUT, path + ": NeuraLogic's model files lose the function " + out.lost
            + ", which the template names; there is evaluate -w, the Java API and Python");
      }
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }

  private static final class Writer extends ObjectOutputStream {
    /** The function that is not written whole, or null. */
    String lost;

    Writer(OutputStream out) throws IOException {
      super(out);
      enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
      if (object instanceof ElementWise) lost = object.getClass().getSimpleName();
      return object;
    }
  }
}
