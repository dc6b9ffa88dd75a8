// N-Triples, by serd.
#include <serd/serd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "src/support/utf8.h"
#include "tools/import/load/line_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/rdf_labels.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

struct FreeReader {
  void operator()(SerdReader* reader) const { serd_reader_free(reader); }
};

std::string_view view_of(const SerdNode& node) {
  return {reinterpret_cast<const char*>(node.buf), node.n_bytes};
}

// N-Triples is a format of lines, and serd gets one line at a time: lines that do not parse cannot
// spoil the next ones, and nothing that a line says can nest. N-Quads is N-Triples with an optional
// fourth name; serd's reader of N-Triples itself takes all of Turtle.
class RdfParser {
 public:
  explicit RdfParser(const RdfTexts& texts) : texts_(texts) { graph_.name = texts.name; }

  Result<TypedGraph> parse();

 private:
  void read_line(const LineReader& lines);
  void new_reader();
  // Whether the line may go to serd, which reads up to a NUL.
  bool check_start(std::string_view line);
  template <class Message>
  void fail(std::uint64_t column, Message&& message) {
    if (!line_failed_) {
      errors_.add(ErrorCode::BadTable, {texts_.triples.name, line_, column},
                  std::forward<Message>(message));
    }
    line_failed_ = true;
  }

  // The name that stands for a node: an IRI itself, `_:b0`, `"text"`, `"text"@en`, `"1"^^<type>`.
  const std::string& name_of(const SerdNode& node, const SerdNode* datatype,
                             const SerdNode* language);
  SerdStatus add_triple(const SerdNode* graph, const SerdNode& subject, const SerdNode& predicate,
                        const SerdNode& object, const SerdNode* datatype, const SerdNode* language);

  // serd is C: exceptions (there may be no memory) wait until it has returned.
  template <class Action>
  SerdStatus guard(const Action& action) {
    try {
      return action();
    } catch (...) {
      exception_ = std::current_exception();
      return SERD_ERR_INTERNAL;
    }
  }
  static SerdStatus on_triple(void* handle, SerdStatementFlags, const SerdNode* graph,
                              const SerdNode* subject, const SerdNode* predicate,
                              const SerdNode* object, const SerdNode* datatype,
                              const SerdNode* language) {
    auto& parser = *static_cast<RdfParser*>(handle);
    return parser.guard([&] {
      return parser.add_triple(graph, *subject, *predicate, *object, datatype, language);
    });
  }
  static SerdStatus on_error(void* handle, const SerdError* error) {
    auto& parser = *static_cast<RdfParser*>(handle);
    return parser.guard([&] { return parser.add_error(*error); });
  }
  SerdStatus add_error(const SerdError& error);

  const RdfTexts& texts_;
  TypedGraph graph_;
  NameTable nodes_;
  NameTable relations_;
  LoadErrors errors_;

  std::unique_ptr<SerdReader, FreeReader> reader_;
  std::uint32_t reader_lines_ = 0;  // that this reader has read
  std::string line_text_;           // ends with a NUL, as serd wants it
  std::string name_;
  std::uint64_t line_ = 0;
  std::uint32_t line_triples_ = 0;
  bool line_failed_ = false;
  std::exception_ptr exception_;
};

void RdfParser::new_reader() {
  reader_.reset(serd_reader_new(SERD_NQUADS, this, nullptr, nullptr, nullptr, on_triple, nullptr));
  if (!reader_) throw std::bad_alloc();
  serd_reader_set_strict(reader_.get(), true);
  serd_reader_set_error_sink(reader_.get(), on_error, this);
  reader_lines_ = 0;
}

SerdStatus RdfParser::add_error(const SerdError& error) {
  // serd would call what it found there a character.
  if (error.col > line_text_.size()) {
    fail(error.col, [] { return std::string("is not N-Triples: the line ends too early"); });
    return SERD_SUCCESS;
  }
  char text[256];
  const int size = std::vsnprintf(text, sizeof text, error.fmt, *error.args);
  std::string_view message(text, size < 0 ? 0 : std::strlen(text));
  if (message.ends_with('\n')) message.remove_suffix(1);
  fail(error.col, [&] { return "is not N-Triples: " + escape_terminal(message); });
  return SERD_SUCCESS;
}

const std::string& RdfParser::name_of(const SerdNode& node, const SerdNode* datatype,
                                      const SerdNode* language) {
  name_.clear();
  if (node.type == SERD_BLANK) name_ += "_:";
  if (node.type == SERD_LITERAL) name_ += '"';
  name_ += view_of(node);
  if (node.type == SERD_LITERAL) name_ += '"';
  if (language != nullptr && language->buf != nullptr) {
    name_.append("@").append(view_of(*language));
  } else if (datatype != nullptr && datatype->buf != nullptr) {
    name_.append("^^<").append(view_of(*datatype)).append(">");
  }
  // An escape can say what the file's own bytes cannot.
  if (find_bad_utf8(name_)) {
    fail(0, [] { return std::string("has an escape that stands for no character"); });
  }
  return name_;
}

SerdStatus RdfParser::add_triple(const SerdNode* graph, const SerdNode& subject,
                                 const SerdNode& predicate, const SerdNode& object,
                                 const SerdNode* datatype, const SerdNode* language) {
  ++line_triples_;
  if (graph != nullptr && graph->buf != nullptr) {
    fail(0, [] { return std::string("has a fourth name, expected a full stop after the third"); });
  }
  const bool is_prefixed = subject.type == SERD_CURIE || predicate.type == SERD_CURIE ||
                           object.type == SERD_CURIE ||
                           (datatype != nullptr && datatype->type == SERD_CURIE);
  if (is_prefixed) {
    fail(0, [] { return std::string("has a name with a prefix, expected whole IRIs: <...>"); });
  }
  if (line_triples_ > 1) {
    fail(0, [] { return std::string("has more than one triple, expected one a line"); });
  }
  const std::uint32_t source = nodes_.add(name_of(subject, nullptr, nullptr));
  const std::uint32_t relation = relations_.add(name_of(predicate, nullptr, nullptr));
  const std::uint32_t target = nodes_.add(name_of(object, datatype, language));
  graph_.source.push_back(source);
  graph_.relation.push_back(relation);
  graph_.target.push_back(target);
  return line_failed_ ? SERD_ERR_BAD_SYNTAX : SERD_SUCCESS;
}

bool RdfParser::check_start(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos || line[start] == '#') return false;
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    fail(nul + 1, [] { return std::string("is not N-Triples: found the byte 0x00"); });
    return false;
  }
  if (line[start] == '<' || line[start] == '_') return true;
  fail(start + 1, [&] {
    return "is not N-Triples: " +
           found_expected(line.substr(start, decode_utf8(line, start).length), "<IRI> or _:name");
  });
  return false;
}

void RdfParser::read_line(const LineReader& lines) {
  line_ = lines.number();
  line_triples_ = 0;
  line_failed_ = false;
  if (!check_start(lines.line())) return;
  // serd keeps a little of each line it has read, and of what did not parse.
  constexpr std::uint32_t kMaxLines = 4096;
  if (!reader_ || ++reader_lines_ == kMaxLines) new_reader();
  line_text_.assign(lines.line());
  const SerdStatus status = serd_reader_read_string(
      reader_.get(), reinterpret_cast<const std::uint8_t*>(line_text_.c_str()));
  if (exception_) std::rethrow_exception(exception_);
  if (status != SERD_SUCCESS || line_triples_ == 0) {
    fail(0, [] { return std::string("is not N-Triples: expected <IRI> <IRI> <IRI> ."); });
  }
  if (line_failed_) reader_.reset();
}

Result<TypedGraph> RdfParser::parse() {
  const Text& text = texts_.triples;
  if (!check_names_text(text, "a triple a line", errors_)) return errors_.errors();
  LineReader lines(text.bytes);
  const std::uint64_t rows = lines.count_rest();
  if (!check_row_limit(text, rows, ErrorCode::LimitEdges, errors_)) return errors_.errors();
  graph_.source.reserve(rows);
  graph_.target.reserve(rows);
  graph_.relation.reserve(rows);
  while (lines.next()) {
    read_line(lines);
    // Every line adds two nodes at most.
    if (!check_row_limit(text, nodes_.size() + 2, ErrorCode::LimitNeurons, errors_)) break;
  }
  if (!errors_.empty()) return errors_.errors();
  if (graph_.source.empty()) {
    return Errors(ErrorCode::FileEmpty, text.name, "has no triples");
  }
  read_rdf_labels(texts_, nodes_, graph_, errors_);
  if (!errors_.empty()) return errors_.errors();
  graph_.node_count = static_cast<std::uint32_t>(nodes_.size());
  graph_.node_names = nodes_.take_names();
  graph_.relation_names = relations_.take_names();
  graph_.node_type_names.push_back("node");
  drop_repeated_edges(graph_);
  return std::move(graph_);
}

}  // namespace

Result<TypedGraph> parse_rdf(const RdfTexts& texts) {
  return RdfParser(texts).parse();
}

}  // namespace vecc::tools
