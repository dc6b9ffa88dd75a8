package vecc.neuralogic;

/** What went wrong, in words for the user who can mend it. */
public final class Failure extends Exception {
  private static final long serialVersionUID = 1;
  /** Exit codes, as those of vecc (docs/errors.md). */
  public static final int INTERNAL = 1, USAGE = 2, INPUT = 3;

  private final int exitCode;

  public Failure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
