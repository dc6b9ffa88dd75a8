// Names are data: what each sink's escape function lets through.
#include "vecc/escape.h"

#include <gmock/gmock.h>

#include <random>

namespace vecc {
namespace {

const std::string kHostile =
    "a\nb\"c\\d*/<script>\x1b[31m\t\xff\xe2\x80\xae"
    "e\xe2\x80\x8b"
    "f\xc2\x85"
    "g\0h"
    "&'";

// Every byte is printable ASCII or part of a multi-byte character.
bool is_one_harmless_line(const std::string& text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  return true;
}

TEST(EscapeTerminal, keeps_valid_utf8) {
  EXPECT_EQ(escape_terminal("naïve 層 🙂"), "naïve 層 🙂");
}

TEST(EscapeTerminal, escapes_control_characters_quotes_and_backslashes) {
  EXPECT_EQ(escape_terminal("a\nb\r\t\"c\"\\\x1b[31m\x7f"),
            "a\\nb\\r\\t\\\"c\\\"\\\\\\x1b[31m\\x7f");
}

TEST(EscapeTerminal, escapes_a_nul_byte) {
  EXPECT_EQ(escape_terminal(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(EscapeTerminal, escapes_c1_controls) {
  EXPECT_EQ(escape_terminal("\xc2\x9b"
                            "31m"),
            "\\u{9b}31m");
}

TEST(EscapeTerminal, escapes_bidirectional_overrides_and_zero_width) {
  EXPECT_EQ(escape_terminal("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(escape_terminal("\xe2\x81\xa6"), "\\u{2066}");
  EXPECT_EQ(escape_terminal("\xe2\x80\x8b"), "\\u{200b}");
  EXPECT_EQ(escape_terminal("\xef\xbb\xbf"), "\\u{feff}");
  EXPECT_EQ(escape_terminal("\xf3\xa0\x81\x81"), "\\u{e0041}");  // a tag letter
  EXPECT_EQ(escape_terminal("\xe2\x80\xa8"), "\\u{2028}");       // line separator
}

TEST(EscapeTerminal, escapes_invalid_utf8_byte_by_byte) {
  EXPECT_EQ(escape_terminal("\xff"), "\\xff");
  EXPECT_EQ(escape_terminal("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(escape_terminal("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(escape_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(escape_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(escape_terminal("\xe2\x82"), "\\xe2\\x82");                    // truncated
  EXPECT_EQ(escape_terminal("\xe2\x82"
                            "a"),
            "\\xe2\\x82"
            "a");
}

TEST(EscapeTerminal, cuts_at_the_limit) {
  EXPECT_EQ(escape_terminal("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(escape_terminal("abcdefghi", 8), "abcde...");
}

TEST(EscapeTerminal, cuts_no_character_and_no_escape) {
  EXPECT_EQ(escape_terminal("abc層層", 8), "abc...");  // 3 + 3 + 3 bytes; the first 層 has no room
  EXPECT_EQ(escape_terminal("abc\x1b\x1b", 8), "abc...");
}

TEST(EscapeTerminal, tiny_limits_hold) {
  for (std::size_t limit = 0; limit < 6; ++limit) {
    EXPECT_LE(escape_terminal("abcdefghi", limit).size(), limit);
  }
}

TEST(EscapeProgram, is_harmless) {
  EXPECT_TRUE(is_one_harmless_line(escape_program(kHostile)));
  EXPECT_EQ(escape_program("a\"b\\"), "a\\\"b\\\\");
}

TEST(EscapeProgram, loses_nothing) {
  EXPECT_EQ(unescape_program(escape_program(kHostile)), kHostile);
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::size_t k = random() % 12; k > 0; --k) {
      // Often the bytes that make escapes and multi-byte characters.
      static constexpr std::string_view kBytes =
          "\\\"nxu{}0ae\xe2\x80\xae\xc2\x85\xf0\x9f\x99\x82\n";
      text += random() % 2 ? kBytes[random() % kBytes.size()] : static_cast<char>(random() % 256);
    }
    ASSERT_EQ(unescape_program(escape_program(text)), text);
    ASSERT_EQ(unescape_program(escape_comment(text)), text);
    ASSERT_TRUE(is_one_harmless_line(escape_program(text)));
  }
}

TEST(UnescapeProgram, keeps_what_is_no_escape) {
  for (const char* text : {"\\", "\\q", "\\x", "\\xg0", "\\u", "\\u{", "\\u{}", "\\u{12",
                           "\\u{110000}", "\\u{1234567}", "a\\"}) {
    EXPECT_EQ(unescape_program(text), text);
  }
}

TEST(EscapeComment, ends_no_line_and_no_block) {
  EXPECT_EQ(escape_comment("rule: a :- b.\nc */ d"), "rule: a :- b.\\nc *\\x2f d");
  EXPECT_EQ(escape_comment("\"quotes\" stay"), "\"quotes\" stay");
}

TEST(EscapeComment, ends_in_no_backslash_and_no_space) {
  EXPECT_EQ(escape_comment("a\\"), "a\\x5c");
  EXPECT_EQ(escape_comment("a "), "a\\x20");
}

TEST(EscapeDot, doubles_backslashes_and_entities) {
  EXPECT_EQ(escape_dot("a\"b\\n<i>&amp;\n"), "a\\\"b\\\\n&lt;i&gt;&amp;amp;\\\\n");
  EXPECT_TRUE(is_one_harmless_line(escape_dot(kHostile)));
}

TEST(EscapeHtml, leaves_no_markup) {
  EXPECT_EQ(escape_html("<script a='\"'>&"), "&lt;script a=&#39;&quot;&#39;&gt;&amp;");
  EXPECT_EQ(escape_html("\x1b\n\xff"), "\\x1b\\n\\xff");
}

}  // namespace
}  // namespace vecc
