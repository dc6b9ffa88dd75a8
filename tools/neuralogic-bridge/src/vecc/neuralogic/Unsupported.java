package vecc.neuralogic;

/** Something of NeuraLogic's that a graph of vecc cannot hold, by name. */
final class Unsupported extends Exception {
  private static final long serialVersionUID = 1;

  Unsupported(String what) {
    super(what, null, false, false);
  }
}
