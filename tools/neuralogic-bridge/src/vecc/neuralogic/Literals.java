package vecc.neuralogic;

/**
 * Predicates out of NeuraLogic's neuron names. Rule and aggregation neurons carry the rule's text, atoms
 * the ground literal, facts the literal with its value before it: `{3,3} h(X) :- {3,3} a(X).`, `h(x)`,
 * `[0.1, 0.2] a(x)`, `<0.4>s(x)`, `0.5 p(x)`.
 */
final class Literals {
  private static final String OPENING = "{[<", CLOSING = "}]>";

  private Literals() {}

  /** The head of a rule's text; another text as it is. */
  static String headOf(String name) {
    int arrow = name.indexOf(":-");
    return stripValue(arrow < 0 ? name : name.substring(0, arrow));
  }

  /** The literal without the weight or value before it, and without the star of a hidden one. */
  static String stripValue(String literal) {
    String text = literal.trim();
    while (!text.isEmpty() && OPENING.indexOf(text.charAt(0)) >= 0) {
      int end = closingBracket(text);
      if (end < 0) return text; // unbalanced: part of the name
      text = text.substring(end + 1).trim();
    }
    int space = text.indexOf(' ');
    if (space > 0 && isNumber(text.substring(0, space)) && !text.substring(space).trim().isEmpty()) {
      text = text.substring(space).trim();
    }
    return text;
  }

  private static int closingBracket(String text) {
    char opening = text.charAt(0), closing = CLOSING.charAt(OPENING.indexOf(opening));
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == opening) depth++;
      if (text.charAt(i) == closing && --depth == 0) return i;
    }
    return -1;
  }

  private static boolean isNumber(String text) {
    try {
      Double.parseDouble(text);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** `h/1` of `h(x)`: the arity keeps predicates of one name apart. Empty for an empty literal. */
  static String predicateOf(String literal) {
    int begin = literal.indexOf('(');
    int star = literal.startsWith("*") ? 1 : 0;
    String name = (begin < 0 ? literal.substring(star) : literal.substring(star, begin)).trim();
    return literal.isEmpty() ? "" : name + "/" + countArguments(literal, begin);
  }

  /** Of `h(x, f(y, z))`: 2. */
  private static int countArguments(String literal, int begin) {
    if (begin < 0) return 0;
    int depth = 0, arguments = 1;
    for (int i = begin; i < literal.length(); i++) {
      char character = literal.charAt(i);
      if (character == '(') depth++;
      if (character == ')' && --depth == 0) break;
      if (character == ',' && depth == 1) arguments++;
    }
    return arguments;
  }
}
