#include "src/emit/python/forward_printer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "vecc/escape.h"

namespace vecc::python {
namespace {

constexpr std::size_t kWholeLines = 150;  // a pass of at most so many is one method
constexpr std::size_t kPartLines = 100;
constexpr std::size_t kLineWidth = 100;
constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

// Breaks a long line behind commas; `indent` is that of the line, continued lines have 4 more.
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

class ForwardPrinter {
 public:
  ForwardPrinter(const Program& program, OpEmitter& emitter, std::vector<Statement> statements)
      : program_(program),
        emitter_(emitter),
        statements_(std::move(statements)),
        made_in_(emitter.name_count(), kNowhere),
        is_shared_(emitter.name_count()) {}

  ForwardText print() {
    text_.used_buffers.resize(emitter_.buffers().size());
    cut();
    find_shared();
    for (std::uint32_t part = 0; part < part_count_; ++part) print_part(part);
    for (const Op& op : program_.ops()) {
      if (op.kind() != OpKind::Output) continue;
      text_.outputs.push_back(text_of(emitter_.read(op.operands[0])));
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool is_whole() const { return statements_.size() <= kWholeLines; }
  [[nodiscard]] std::uint32_t part_of(std::size_t statement) const {
    return is_whole() ? 0 : static_cast<std::uint32_t>(statement / kPartLines);
  }

  void cut() {
    part_count_ = statements_.empty() ? 0 : part_of(statements_.size() - 1) + 1;
    for (std::size_t s = 0; s < statements_.size(); ++s)
      made_in_[statements_[s].result] = part_of(s);
  }

  // What is read outside the part that makes it.
  void find_shared() {
    for (std::size_t s = 0; s < statements_.size(); ++s)
      note_reads(statements_[s].code, part_of(s));
    const std::uint32_t end = is_whole() ? 0 : kNowhere;
    for (const Op& op : program_.ops()) {
      if (op.kind() == OpKind::Output) note_reads(emitter_.read(op.operands[0]), end);
    }
  }
  void note_reads(const Code& code, std::uint32_t part) {
    for (const Token& token : code.tokens()) {
      if (token.kind == Token::Kind::Name && made_in_[token.id] != part)
        is_shared_[token.id] = true;
      for (const NameId name : token.pieces) {
        if (made_in_[name] != part) is_shared_[name] = true;
      }
    }
  }

  std::string name(NameId id) const { return (is_shared_[id] ? "v." : "") + emitter_.name_of(id); }

  std::string text_of(const Code& code) {
    std::string text;
    for (const Token& token : code.tokens()) {
      switch (token.kind) {
        case Token::Kind::Text: text += token.text; break;
        case Token::Kind::Name: text += name(token.id); break;
        case Token::Kind::Buffer:
          text_.used_buffers[token.id] = true;
          text += "self." + emitter_.buffers().name({token.id});
          break;
        case Token::Kind::Pieces:
          for (std::size_t k = 0; k < token.pieces.size(); ++k) {
            text += (k > 0 ? ", " : "") + name(token.pieces[k]);
          }
          break;
      }
    }
    return text;
  }

  std::string line(const Statement& statement) {
    constexpr std::size_t kIndent = 8;
    std::string text =
        wrap(std::string(kIndent, ' ') + name(statement.result) + " = " + text_of(statement.code),
             kIndent);
    if (!statement.note.empty()) text += "  # " + escape_comment(statement.note);
    return text + "\n";
  }

  void print_part(std::uint32_t part) {
    std::string lines;
    for (std::size_t s = part * kPartLines; s < statements_.size(); ++s) {
      if (part_of(s) != part) break;
      lines += line(statements_[s]);
    }
    if (is_whole()) {
      text_.body = std::move(lines);
      return;
    }
    const std::string method = "part_" + std::to_string(part + 1);
    text_.parts += "    def " + method + "(self, v):\n" + lines + "\n";
    if (part == 0) text_.body += "        v = Values()\n";
    text_.body += "        self." + method + "(v)\n";
  }

  const Program& program_;
  OpEmitter& emitter_;
  std::vector<Statement> statements_;
  std::vector<std::uint32_t> made_in_;  // by name: the part
  std::vector<bool> is_shared_;         // by name
  std::uint32_t part_count_ = 0;
  ForwardText text_;
};

}  // namespace

ForwardText print_forward(const Program& program, OpEmitter& emitter,
                          std::vector<Statement> statements) {
  return ForwardPrinter(program, emitter, std::move(statements)).print();
}

}  // namespace vecc::python
