package vecc.neuralogic;

import java.util.Collection;

/** "Did you mean": the name that a misspelt word is nearest to, as vecc's own programs tell it. */
final class Suggestion {
  private Suggestion() {}

  /** `; did you mean NAME?`, or nothing where all names are more than a third of the word away. */
  static String of(String word, Collection<String> names) {
    int least = Math.max(word.length() / 3, 1) + 1;
    String nearest = null;
    for (String name : names) {
      int distance = distance(word, name);
      if (distance >= least) continue;
      least = distance;
      nearest = name;
    }
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  /** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
  static int distance(String a, String b) {
    int[][] table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          table[i][j] = i + j;
          continue;
        }
        int changed = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        table[i][j] = Math.min(Math.min(table[i - 1][j], table[i][j - 1]) + 1,
            table[i - 1][j - 1] + changed);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) table[i][j] = Math.min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
    return table[a.length()][b.length()];
  }
}
