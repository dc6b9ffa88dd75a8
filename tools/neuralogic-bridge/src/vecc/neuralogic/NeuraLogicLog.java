package vecc.neuralogic;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps NeuraLogic's log, which is long and goes to stdout, out of the way; its errors are shown. */
final class NeuraLogicLog extends Handler {
  private static final int MOST_ERRORS = 10;

  private final PrintStream out;
  private final List<String> parseErrors = new ArrayList<>();
  private int cutCycles;

  private NeuraLogicLog(PrintStream out) {
    this.out = out;
  }

  /** `verbose`: everything it logs goes to `out`. */
  static NeuraLogicLog install(PrintStream out, boolean verbose) {
    LogManager.getLogManager().reset();
    NeuraLogicLog log = new NeuraLogicLog(out);
    Logger root = Logger.getLogger("");
    root.setLevel(verbose ? Level.INFO : Level.WARNING);
    log.setLevel(root.getLevel());
    root.addHandler(log);
    System.setOut(verbose ? out : new PrintStream(new OutputStream() {
      @Override
      public void write(int ignored) {}

      @Override
      public void write(byte[] ignored, int begin, int count) {}
    }));
    System.setErr(new PrintStream(out, true) {
      @Override
      public void println(String text) {
        if (!log.takeParseError(text)) super.println(text);
      }
    });
    return log;
  }

  /** Edges that NeuraLogic removed, as its networks must not have cycles. */
  int cutCycles() {
    return cutCycles;
  }

  /** NeuraLogic goes on with what it could parse of a file, and only prints these. */
  private boolean takeParseError(String text) {
    if (text == null || !text.matches("(?s)line \\d+:\\d+ .*")) return false;
    if (parseErrors.size() < MOST_ERRORS) parseErrors.add(text);
    return true;
  }

  void checkParsed() throws Failure {
    if (parseErrors.isEmpty()) return;
    throw new Failure(Failure.INPUT, "NeuraLogic cannot parse the template, examples or queries:\n  "
        + String.join("\n  ", parseErrors));
  }

  @Override
  public synchronized void publish(LogRecord record) {
    String message = String.valueOf(record.getMessage());
    if (message.startsWith("Cycle detected")) cutCycles++;
    if (record.getLevel().intValue() < getLevel().intValue()) return;
    boolean warning = record.getLevel().intValue() < Level.SEVERE.intValue();
    if (getLevel() == Level.WARNING && warning) return; // counted above
    out.println("NeuraLogic: " + message);
  }

  @Override
  public void flush() {
    out.flush();
  }

  @Override
  public void close() {}
}
