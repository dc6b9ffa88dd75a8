package vecc.neuralogic;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** vecc-neuralogic: NeuraLogic's templates, examples and queries in, graphs and trained models out. */
public final class Main {
  private static final long STACK_BYTES = 1L << 30; // NeuraLogic walks networks recursively

  private static final List<String> COMMANDS =
      Arrays.asList("export", "evaluate", "import-weights", "train");

  private Main() {}

  public static void main(String[] arguments) throws InterruptedException {
    int[] status = {Failure.INTERNAL};
    Thread thread = new Thread(null, () -> status[0] = run(arguments), "main", STACK_BYTES);
    thread.start();
    thread.join();
    System.exit(status[0]);
  }

  static int run(String[] arguments) {
    try {
      List<String> all = Arrays.asList(arguments);
      List<String> rest = all.isEmpty() ? all : all.subList(1, all.size());
      dispatch(all.isEmpty() ? "--help" : all.get(0), rest);
      return 0;
    } catch (Failure e) {
      return fail(e.getMessage(), e.exitCode());
    } catch (LinkageError e) {
      return fail("this NeuraLogic.jar is not that of neuralogic 0.9.2, which the bridge is for ("
          + e + ")", Failure.INPUT);
    } catch (OutOfMemoryError e) {
      return fail("Java has no more memory than " + (Runtime.getRuntime().maxMemory() >> 20)
          + " MB; set JAVA_OPTS=-Xmx16g or so", 5);
    } catch (Exception e) {
      return fail("NeuraLogic says: " + messageOf(e), Failure.INPUT);
    }
  }

  private static void dispatch(String command, List<String> rest) throws Exception {
    if (rest.contains("--help") || rest.contains("-h") || rest.equals(Collections.singletonList("help"))) {
      command = "--help";
    } else if (rest.contains("--version") && COMMANDS.contains(command)) {
      command = "--version";
    }
    switch (command) {
      case "export": Commands.export(rest); break;
      case "evaluate": Commands.evaluate(rest); break;
      case "import-weights": Commands.importWeights(rest); break;
      case "train": TrainCommand.run(rest); break;
      case "-h": case "--help": case "help": System.out.print(Help.TEXT); break;
      case "--version": System.out.println("vecc-neuralogic " + Version.text()); break;
      default:
        throw Arguments.usage(
            "there is no command " + command + Suggestion.of(command, COMMANDS));
    }
  }

  private static int fail(String message, int status) {
    System.err.println("vecc-neuralogic: error: " + escape(message));
    return status;
  }

  /** Names are data: what would move a terminal's cursor is shown by its number. */
  private static String escape(String text) {
    StringBuilder out = new StringBuilder();
    for (char character : text.toCharArray()) {
      boolean control = Character.isISOControl(character) && character != '\n';
      out.append(control ? String.format("\\x%02x", (int) character) : String.valueOf(character));
    }
    return out.toString();
  }

  private static String messageOf(Throwable error) {
    return error.getMessage() == null ? error.toString() : error.getMessage().trim();
  }
}
