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
 * A template with its weights as NeuraLogic itself saves and loads it (-t model.java), but for elementwise
 * functions, which that format loses: to load a template that names some the bridge's jar must be on the
 * class path.
 */
final class ModelFile {
  private ModelFile() {}

  static Path checkName(String path) throws Failure {
    if (path.endsWith(".java")) return Paths.get(path);
    throw new Failure(Failure.USAGE, path + ": NeuraLogic knows its models by names that end in .java");
  }

  static void write(Template template, Path path) throws Failure {
    try (AtomicFile file = new AtomicFile(path)) {
      ObjectOutputStream out = new Writer(new BufferedOutputStream(file.stream()));
      out.writeObject(template);
      out.flush();
      file.commit();
    } catch (IOException e) {
      throw AtomicFile.cannotWrite(path, e);
    }
  }

  private static final class Writer extends ObjectOutputStream {
    Writer(OutputStream out) throws IOException {
      super(out);
      enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
      return object instanceof ElementWise ? new SavedFunction((ElementWise) object) : object;
    }
  }
}
