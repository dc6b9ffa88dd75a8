package vecc.neuralogic;

import java.util.LinkedHashMap;
import java.util.Map;

/** What cannot be exported, each thing once, with where it was met first. */
final class Refusals {
  private static final int MOST = 20;

  private final Map<String, String> places = new LinkedHashMap<>();
  private long count;

  void add(String what, String place) {
    count++;
    if (places.size() < MOST) places.putIfAbsent(what, place == null ? "" : place);
  }

  void check() throws Failure {
    if (places.isEmpty()) return;
    StringBuilder out = new StringBuilder("vecc has no graph of this network, which has");
    places.forEach((what, place) -> {
      out.append("\n  ").append(what);
      if (!place.isEmpty()) out.append(" (in: ").append(shortened(place)).append(')');
    });
    if (count > places.size()) out.append("\n  (").append(count).append(" neurons in all)");
    throw new Failure(Failure.INPUT, out.toString());
  }

  private static String shortened(String text) {
    return text.length() <= 120 ? text : text.substring(0, 117) + "...";
  }
}
