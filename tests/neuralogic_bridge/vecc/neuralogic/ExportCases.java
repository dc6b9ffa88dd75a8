package vecc.neuralogic;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/** Runs commands of vecc-neuralogic, one a line, arguments separated by tabs: one start of Java. */
public final class ExportCases {
  private ExportCases() {}

  public static void main(String[] arguments) throws IOException {
    int failed = 0;
    try (BufferedReader lines = Files.newBufferedReader(Paths.get(arguments[0]))) {
      for (String line; (line = lines.readLine()) != null;) {
        if (Main.run(line.split("\t")) == 0) continue;
        System.err.println("failed: " + Arrays.toString(line.split("\t")));
        failed++;
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }
}
