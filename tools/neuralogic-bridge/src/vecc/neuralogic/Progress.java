package vecc.neuralogic;

import java.io.PrintStream;
import java.util.Locale;

/** How far a stage is: a line that is written again and again on a terminal, else one at its end. */
public class Progress {
  private static final long INTERVAL = 100_000_000; // ns

  private final PrintStream out;
  private final boolean terminal;
  private String stage = "";
  private long start;
  private long shown;

  /** `out` null: quiet. */
  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  public static Progress quiet() {
    return new Progress(null, false);
  }

  /** Begins a stage: `ground`. */
  void begin(String name) {
    stage = name;
    start = System.nanoTime();
    shown = start;
  }

  /** `text`: 120 samples. */
  void at(long done, String what) {
    if (out == null || !terminal) return;
    long now = System.nanoTime();
    if (now - shown < INTERVAL) return;
    shown = now;
    out.printf(Locale.ROOT, "\r%-10s %,d %s\u001b[K", stage, done, what);
    out.flush();
  }

  /** Ends the stage: `188 samples`. */
  void end(String summary) {
    if (out == null) return;
    double seconds = (System.nanoTime() - start) / 1e9;
    String line = String.format(Locale.ROOT, "%-10s %s, %.1f s", stage, summary, seconds);
    out.println(terminal ? "\r" + line + "\u001b[K" : line);
  }

  void note(String text) {
    if (out != null) out.println(text);
  }
}
