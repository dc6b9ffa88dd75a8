package vecc.neuralogic;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as safetensors has it: objects, lists, strings and numbers (as Map, List, String and Long). */
final class Json {
  private static final int MOST_DEPTH = 16;

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** An IllegalArgumentException says what is wrong with it. */
  static Object parse(String text) {
    Json json = new Json(text);
    Object out = json.value(0);
    json.skipSpace();
    if (json.at < text.length()) throw json.error("something after its end");
    return out;
  }

  private Object value(int depth) {
    if (depth > MOST_DEPTH) throw error("too deep");
    switch (next()) {
      case '{': return object(depth);
      case '[': return list(depth);
      case '"': return string();
      default: return number();
    }
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> out = new LinkedHashMap<>();
    at++;
    if (next() == '}') at++;
    else {
      do {
        if (next() != '"') throw error("no name");
        String name = string();
        expect(':');
        if (out.put(name, value(depth + 1)) != null) throw error("the name \"" + name + "\" twice");
      } while (more('}'));
    }
    return out;
  }

  private List<Object> list(int depth) {
    List<Object> out = new ArrayList<>();
    at++;
    if (next() == ']') at++;
    else {
      do out.add(value(depth + 1)); while (more(']'));
    }
    return out;
  }

  /** Whether a comma follows, not the end. */
  private boolean more(char end) {
    char found = next();
    if (found != ',' && found != end) throw error("neither a comma nor " + end);
    at++;
    return found == ',';
  }

  private void expect(char wanted) {
    if (next() != wanted) throw error("no " + wanted);
    at++;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char character = text.charAt(at);
      if (character == '"') {
        at++;
        return out.toString();
      }
      out.append(character == '\\' ? escaped() : character);
    }
    throw error("a string without end");
  }

  private char escaped() {
    if (++at >= text.length()) throw error("a string without end");
    char character = text.charAt(at);
    int simple = "\"\\/bfnrt".indexOf(character);
    if (simple >= 0) return "\"\\/\b\f\n\r\t".charAt(simple);
    if (character != 'u' || at + 4 >= text.length()) throw error("an unknown escape");
    String digits = text.substring(at + 1, at + 5);
    if (!digits.matches("[0-9a-fA-F]{4}")) throw error("an unknown escape");
    at += 4;
    return (char) Integer.parseInt(digits, 16);
  }

  private Long number() {
    int begin = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
    try {
      return Long.valueOf(text.substring(begin, at));
    } catch (NumberFormatException e) {
      throw error("no whole number");
    }
  }

  private char next() {
    skipSpace();
    if (at >= text.length()) throw error("an early end");
    return text.charAt(at);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
  }

  private IllegalArgumentException error(String what) {
    return new IllegalArgumentException("its header has " + what + " at character " + at);
  }
}
