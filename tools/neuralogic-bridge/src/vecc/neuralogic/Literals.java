package vecc.neuralogic;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Predicates out of NeuraLogic's neuron names. Rule and aggregation neurons carry the rule's text, atoms
 * the ground literal, facts the literal with its value before it: `{3,3} h(X) :- {3,3} a(X).`, `h(x)`,
 * `[0.1, 0.2] a(x)`, `<0.4>s(x)`, `0.5 p(x)`. Of a text that NeuraLogic parsed, all without blanks:
 * `$w={3,3}h(X)<=a(X).`, `0.5p(x)`.
 */
final class Literals {
  private static final String OPENING = "{[<", CLOSING = "}]>";
  /** As NeuraLogic's grammar has numbers: of `0.5e(x)` it is `0.5`. */
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?[0-9]+([.][0-9]+([eE][+-]?[0-9]+)?)?");
  private static final Pattern WEIGHT_NAME = Pattern.compile("[$][^=\\s]+\\s*=");

  private Literals() {}

  /** The head of a rule's text; another text as it is. */
  static String headOf(String name) {
    int arrow = name.indexOf(":-");
    if (arrow < 0) arrow = name.indexOf("<=");
    return stripValue(arrow < 0 ? name : name.substring(0, arrow));
  }

  /** The literal without the weight or value before it, and without the star of a hidden one. */
  static String stripValue(String literal) {
    String text = literal.trim();
    Matcher weight = WEIGHT_NAME.matcher(text);
    if (weight.lookingAt()) text = text.substring(weight.end()).trim();
    while (!text.isEmpty() && OPENING.indexOf(text.charAt(0)) >= 0) {
      int end = closingBracket(text);
      if (end < 0) return text; // unbalanced: part of the name
      text = text.substring(end + 1).trim();
    }
    int space = text.indexOf(' ');
    if (space > 0 && isNumber(text.substring(0, space)) && !text.substring(space).trim().isEmpty()) {
      return text.substring(space).trim();
    }
    Matcher number = NUMBER.matcher(text);
    return number.lookingAt() && number.end() < text.length() ? text.substring(number.end()) : text;
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
    name = name.replaceFirst("\\s*/\\s*[0-9]+$", ""); // `h/1(X)`
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
