#include "src/emit/python/forward_printer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/emit/python/forward_names.h"
#include "src/emit/python/levels.h"
#include "vecc/escape.h"

namespace vecc::python {
namespace {

constexpr std::size_t kWholeLines = 150;  // a pass of at most so many is one method
constexpr std::size_t kPartLines = 100;
constexpr std::size_t kLineWidth = 100;

// Breaks a long line behind commas; continued lines have 4 spaces more.
std::string wrap(const std::string& line, std::size_t indent) {
  if (line.size() <= kLineWidth) return line;
  const std::string margin = "\n" + std::string(indent + 4, ' ');
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = line.find(", ", at);
    end = end == std::string::npos ? line.size() : end + 2;
    if (column > 0 && column + end - at > kLineWidth) {
      result.pop_back();  // the space
      result += margin;
      column = indent + 4;
    }
    result.append(line, at, end - at);
    column += end - at;
    at = end;
  }
  return result;
}

// Which method each loop and line stands in.
std::vector<std::uint32_t> cut_parts(const std::vector<Levels>& levels) {
  std::size_t lines = 0;
  for (const Levels& each : levels) lines += each.period;
  std::vector<std::uint32_t> parts;
  std::uint32_t part = 0;
  std::size_t lines_of_part = 0;
  for (const Levels& each : levels) {
    const bool is_full = lines > kWholeLines && lines_of_part + each.period > kPartLines;
    if (is_full && lines_of_part > 0) {
      ++part;
      lines_of_part = 0;
    }
    lines_of_part += each.period;
    parts.push_back(part);
  }
  return parts;
}

class ForwardPrinter {
 public:
  ForwardPrinter(const Program& program, OpEmitter& emitter, std::vector<Statement> statements)
      : program_(program),
        emitter_(emitter),
        statements_(std::move(statements)),
        made_at_(statements_of_names(statements_, emitter.name_count())),
        levels_(find_levels(statements_, made_at_, emitter.buffers())),
        part_of_(cut_parts(levels_)),
        names_(emitter, statements_, levels_, made_at_, part_of_) {}

  ForwardText print() {
    note_reads();
    for (std::size_t begin = 0; begin < levels_.size();) {
      std::size_t end = begin;
      while (end < levels_.size() && part_of_[end] == part_of_[begin]) ++end;
      print_part(begin, end);
      begin = end;
    }
    for (const Op& op : program_.ops()) {
      if (op.kind() != OpKind::Output) continue;
      text_.outputs.push_back(text_of(emitter_.read(op.operands[0])));
    }
    text_.used_buffers.resize(emitter_.buffers().size());
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool is_whole() const { return part_of_.empty() || part_of_.back() == 0; }

  void note_reads() {
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      if (levels_[l].is_loop()) {
        names_.note_loop_reads(levels_[l]);
      } else {
        names_.note_reads(statements_[levels_[l].first].code, part_of_[l]);
      }
    }
    for (const Op& op : program_.ops()) {
      if (op.kind() != OpKind::Output) continue;
      names_.note_reads(emitter_.read(op.operands[0]), is_whole() ? 0 : kEnd);
    }
  }

  std::string text_of(Buffer buffer) {
    text_.used_buffers.resize(emitter_.buffers().size());
    text_.used_buffers[buffer.id] = true;
    return "self." + emitter_.buffers().name(buffer);
  }

  std::string text_of(const Code& code) {
    std::string text;
    for (const Token& token : code.tokens()) {
      switch (token.kind) {
        case Token::Kind::Text: text += token.text; break;
        case Token::Kind::Name: text += names_.text(token.id); break;
        case Token::Kind::Buffer: text += text_of(Buffer{token.id}); break;
        case Token::Kind::Pieces: text += names_.text(token.pieces); break;
      }
    }
    return text;
  }

  // Of a line in a loop.
  std::string text_of(const Levels& loop, std::size_t line) {
    const auto& first = statements_[loop.first + line].code.tokens();
    const auto& second = statements_[loop.first + loop.period + line].code.tokens();
    std::string text;
    for (std::size_t t = 0; t < first.size(); ++t) {
      switch (first[t].kind) {
        case Token::Kind::Text: text += first[t].text; break;
        case Token::Kind::Name: text += names_.text(loop, first[t].id, second[t].id); break;
        case Token::Kind::Buffer: text += buffer_of_levels(loop, line, t); break;
        case Token::Kind::Pieces:
          for (std::size_t p = 0; p < first[t].pieces.size(); ++p) {
            if (p > 0) text += ", ";
            text += names_.text(loop, first[t].pieces[p], second[t].pieces[p]);
          }
          break;
      }
    }
    return text;
  }

  std::string buffer_of_levels(const Levels& loop, std::size_t line, std::size_t token) {
    std::vector<BufferId> buffers;
    for (std::size_t level = 0; level < loop.times; ++level) {
      const Statement& statement = statements_[loop.first + level * loop.period + line];
      buffers.push_back(statement.code.tokens()[token].id);
    }
    const bool is_one = std::all_of(buffers.begin(), buffers.end(),
                                    [&](BufferId id) { return id == buffers.front(); });
    if (is_one) return text_of(Buffer{buffers.front()});
    return text_of(emitter_.buffers().stack(buffers)) + "[level]";
  }

  static std::string line(std::size_t indent, const std::string& text, const std::string& note) {
    const std::string line = wrap(std::string(indent, ' ') + text, indent);
    return line + (note.empty() ? "" : "  # " + escape_comment(note)) + "\n";
  }

  std::string print_line(const Levels& levels) {
    const Statement& statement = statements_[levels.first];
    return line(8, names_.variable(levels, 0) + " = " + text_of(statement.code), statement.note);
  }

  std::string print_loop(const Levels& loop) {
    std::string text;
    for (std::size_t k = 0; k < loop.period; ++k) {
      if (const std::string carrier = names_.carrier(loop, k); !carrier.empty()) {
        // What the first level reads where the others read the level before.
        const NameId before = statements_[loop.first + k - loop.period].result;
        text += line(8, carrier + " = " + names_.text(before), "");
      }
      if (const std::string list = names_.list(loop, k); !list.empty()) {
        text += line(8, list + " = []", "");
      }
    }
    text += line(8, "for level in range(" + std::to_string(loop.times) + "):", "");
    for (std::size_t k = 0; k < loop.period; ++k) {
      text += line(12, names_.variable(loop, k) + " = " + text_of(loop, k),
                   statements_[loop.first + k].note);
    }
    for (std::size_t k = 0; k < loop.period; ++k) {
      const std::string variable = names_.variable(loop, k);
      const std::string carrier = names_.carrier(loop, k);
      if (!carrier.empty() && carrier != variable) text += line(12, carrier + " = " + variable, "");
      if (const std::string list = names_.list(loop, k); !list.empty()) {
        text += line(12, list + ".append(" + variable + ")", "");
      }
    }
    return text;
  }

  void print_part(std::size_t begin, std::size_t end) {
    std::string lines;
    for (std::size_t l = begin; l < end; ++l) {
      lines += levels_[l].is_loop() ? print_loop(levels_[l]) : print_line(levels_[l]);
    }
    if (is_whole()) {
      text_.body = std::move(lines);
      return;
    }
    const std::string method = "part_" + std::to_string(part_of_[begin] + 1);
    text_.parts += "    def " + method + "(self, v):\n" + lines + "\n";
    if (begin == 0) text_.body += "        v = Values()\n";
    text_.body += "        self." + method + "(v)\n";
  }

  const Program& program_;
  OpEmitter& emitter_;
  std::vector<Statement> statements_;
  std::vector<std::size_t> made_at_;  // by name
  std::vector<Levels> levels_;
  std::vector<std::uint32_t> part_of_;  // by levels
  ForwardNames names_;
  ForwardText text_;
};

}  // namespace

ForwardText print_forward(const Program& program, OpEmitter& emitter,
                          std::vector<Statement> statements) {
  return ForwardPrinter(program, emitter, std::move(statements)).print();
}

}  // namespace vecc::python
