package vecc.neuralogic;

import cz.cvut.fel.ida.neuralogic.cli.utils.CommandLineHandler;
import cz.cvut.fel.ida.setup.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;

/** A command's arguments: its own options, NeuraLogic's, and for `train` those of vecc. */
final class Arguments {
  /** NeuraLogic's options that name files. Files that are not there it would silently do without. */
  private static final List<String> FILES = Arrays.asList("t", "e", "q", "ve", "vq", "te", "tq", "sf", "set");

  final List<String> neuralogic = new ArrayList<>();
  final List<String> vecc = new ArrayList<>();
  private final Map<String, String> own = new HashMap<>();

  /** `flags` and `valued`: the command's own options; others that begin with `--` go to `vecc`. */
  Arguments(List<String> all, Set<String> flags, Set<String> valued, boolean takesVecc)
      throws Failure {
    Options theirs = new CommandLineHandler().getOptions(new Settings());
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      String argument = all.get(i);
      int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
      String name = equals < 0 ? argument : argument.substring(0, equals);
      boolean next = equals < 0 && i + 1 < all.size() && !isOption(all.get(i + 1));
      if (!argument.startsWith("-")) throw usage("\"" + argument + "\" belongs to no option");
      if (flags.contains(name) && equals < 0) {
        own.put(name, "");
      } else if (valued.contains(name)) {
        if (equals < 0 && !next) throw usage(name + " needs a value");
        if (!seen.add(name)) throw usage(name + " comes twice");
        own.put(name, equals < 0 ? all.get(++i) : argument.substring(equals + 1));
      } else if (theirs.hasOption(name)) {
        addNeuralogic(theirs.getOption(name), argument, next ? all.get(++i) : null, equals);
      } else if (takesVecc && (argument.startsWith("--") || argument.matches("-O[0-3]"))) {
        vecc.add(argument);
        if (next) vecc.add(all.get(++i));
      } else {
        throw usage("there is no option " + name + Suggestion.of(name, names(theirs, flags, valued)));
      }
    }
    checkFiles();
  }

  private static List<String> names(Options theirs, Set<String> flags, Collection<String> valued) {
    List<String> names = new ArrayList<>(flags);
    names.addAll(valued);
    for (Option option : theirs.getOptions()) {
      names.add("-" + option.getOpt());
      if (option.hasLongOpt()) names.add("--" + option.getLongOpt());
    }
    return names;
  }

  private static boolean isOption(String text) {
    return text.matches("-[^0-9.].*"); // not -1 and -.5
  }

  private void addNeuralogic(Option option, String argument, String value, int equals) {
    neuralogic.add("-" + option.getOpt());
    if (equals >= 0) value = argument.substring(equals + 1);
    if (value != null) neuralogic.add(value);
  }

  /** And makes paths absolute: NeuraLogic fails on imports of a template that is named without its folder. */
  private void checkFiles() throws Failure {
    Path folder = Paths.get(neuralogicValue("sd", ""));
    for (String option : FILES) {
      String names = neuralogicValue(option, "");
      List<String> paths = new ArrayList<>();
      for (String name : names.isEmpty() ? new String[0] : names.split(",")) {
        boolean here = exists(Paths.get(name));
        if (!here && !exists(folder.resolve(name))) {
          throw new Failure(Failure.INPUT, name + ": there is no such file (-" + option + ")");
        }
        paths.add(here ? Paths.get(name).toAbsolutePath().toString() : name);
      }
      if (!paths.isEmpty()) {
        neuralogic.set(neuralogic.indexOf("-" + option) + 1, String.join(",", paths));
      }
    }
  }

  private static boolean exists(Path path) {
    return Files.isRegularFile(path) || Files.isRegularFile(Paths.get(path + ".txt"));
  }

  /** The value of one of NeuraLogic's options, by its short name. */
  String neuralogicValue(String option, String absent) {
    int at = neuralogic.indexOf("-" + option);
    return at < 0 || at + 1 == neuralogic.size() ? absent : neuralogic.get(at + 1);
  }

  boolean has(String option) {
    return own.containsKey(option);
  }

  String get(String option) {
    return own.get(option);
  }

  String require(String option) throws Failure {
    if (!has(option)) throw usage(option + " is missing");
    return own.get(option);
  }

  /** Whether vecc gets the option already. */
  boolean veccHas(String option) {
    for (String argument : vecc) {
      if (argument.equals(option) || argument.startsWith(option + "=")) return true;
    }
    return false;
  }

  static Failure usage(String problem) {
    return new Failure(Failure.USAGE, problem + " (vecc-neuralogic --help tells more)");
  }
}
