// The text of a score: declarations, names for parts, the formula.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/function/parameter_text.h"
#include "src/kg/score_formula/score_formula.h"
#include "src/kg/score_formula/score_reader.h"
#include "vecc/escape.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kMostDeclarations = 32;
constexpr std::size_t kMostNesting = 64;

std::string quote(std::string_view name) {
  return "\"" + escape_terminal(name, 60) + "\"";
}

std::optional<ParameterOwner> owner_of_table(std::string_view name) {
  if (name == "e" || name.starts_with("e.")) return ParameterOwner::Entity;
  if (name == "r" || name.starts_with("r.")) return ParameterOwner::Relation;
  if (name == "h" || name == "t" || name.find('.') != std::string_view::npos) return std::nullopt;
  return ParameterOwner::Shared;
}

class ScoreParser {
 public:
  ScoreParser(std::string_view text, const ScoreDims& dims, std::string_view place)
      : place_(place), text_(text) {
    formula_.text = std::string(text);
    formula_.dims = dims;
    formula_.parameters = {{"e", ParameterOwner::Entity, Shape::column(dims.dim)},
                           {"r", ParameterOwner::Relation, Shape::column(dims.relation_dim)}};
  }

  Result<ScoreFormula> parse() {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find_first_of("\n;", begin), text_.size());
      std::string_view line = text_.substr(begin, end - begin);
      line = line.substr(0, line.find('#'));
      begin = end + 1;
      ++number;
      if (trim(line).find_first_not_of("\r\t ") == std::string_view::npos) continue;
      ScoreReader reader(line, number, formula_.dims, place_);
      reader_ = &reader;
      VECC_TRY_VOID(parse_line());
    }
    if (!formula_.score) {
      return Errors(ErrorCode::ProgramSyntax, std::string(place_),
                    "found no score: the last line is a formula, as in -norm1(h + r - t)");
    }
    VECC_TRY_VOID(check_inputs());
    lay_out();
    return std::move(formula_);
  }

 private:
  Result<void> parse_line() {
    if (formula_.score) {
      return reader_->error_at(0, ErrorCode::ProgramSyntax,
                               "a line behind the score: it is the last one");
    }
    const std::string name = reader_->take_dotted_name();
    if (!name.empty() && reader_->accept(':')) return parse_declaration(name);
    if (++lines_ > kMostScoreLines) {
      return reader_->error_at(
          0, ErrorCode::ProgramSyntax,
          "more than " + std::to_string(kMostScoreLines) + " lines; declarations do not count");
    }
    if (!name.empty() && reader_->accept('=')) return parse_definition(name);
    reader_->go_back(0);
    VECC_TRY(const TermPtr score, parse_whole());
    if (!score->shape.is_scalar()) {
      return reader_->error_at(0, ErrorCode::ShapeMismatch,
                               "the score is " + score->shape.text() +
                                   ", expected one number: sum(x) and dot(x, y) make one");
    }
    formula_.score = score;
    return {};
  }

  Result<void> parse_declaration(const std::string& name) {
    const auto owner = owner_of_table(name);
    if (!owner) {
      return reader_->error_at(0, ErrorCode::ProgramSyntax,
                               "found " + quote(name) +
                                   ", expected e.NAME of entities (read as h.NAME and t.NAME), "
                                   "r.NAME of relations, or a NAME that all triples share");
    }
    if (formula_.parameters.size() > kMostDeclarations) {
      return reader_->error_at(0, ErrorCode::ProgramSyntax,
                               "more than " + std::to_string(kMostDeclarations) + " declarations");
    }
    VECC_TRY(const Shape shape, reader_->take_shape());
    if (!reader_->at_end()) return reader_->expected("the end of the declaration");
    const auto known = std::ranges::find(formula_.parameters, name, &ScoreParameter::name);
    if (known != formula_.parameters.end()) {
      const bool is_new = declared_.insert(name).second;
      if (is_new && (name == "e" || name == "r") && !is_read(name)) {
        known->shape = shape;
        return {};
      }
      return reader_->error_at(0, ErrorCode::DuplicateName,
                               quote(name) + " is declared twice, or read before");
    }
    if (values_.contains(name)) {
      return reader_->error_at(0, ErrorCode::DuplicateName, quote(name) + " is a line's name");
    }
    declared_.insert(name);
    formula_.parameters.push_back({name, *owner, shape});
    return {};
  }

  [[nodiscard]] bool is_read(const std::string& table) const {
    return std::ranges::any_of(formula_.inputs, [&](const ScoreInput& input) {
      return formula_.parameters[input.parameter].name == table;
    });
  }

  Result<void> parse_definition(const std::string& name) {
    const bool is_taken = name == "h" || name == "r" || name == "t" || name == "e" ||
                          name == "dim" || name == "relation_dim" ||
                          name.find('.') != std::string::npos || values_.contains(name) ||
                          std::ranges::find(formula_.parameters, name, &ScoreParameter::name) !=
                              formula_.parameters.end();
    if (is_taken) {
      return reader_->error_at(0, ErrorCode::DuplicateName,
                               quote(name) + " is taken; another name is not");
    }
    VECC_TRY(values_[name], parse_whole());
    unread_.insert(name);
    return {};
  }

  Result<TermPtr> parse_whole() {
    VECC_TRY(TermPtr term, parse_sum());
    if (!reader_->at_end()) return reader_->expected("an operator, or the end of the line");
    if (node_count(term, kMostScoreNodes) > kMostScoreNodes) {
      return reader_->error_at(0, ErrorCode::ProgramSyntax,
                               "more than " + std::to_string(kMostScoreNodes) +
                                   " functions and operands, each part as often as it is read");
    }
    return term;
  }

  // a + b - c
  Result<TermPtr> parse_sum() {
    if (++nesting_ > kMostNesting) {
      return reader_->error_at(reader_->position(), ErrorCode::ProgramSyntax,
                               "nested deeper than " + std::to_string(kMostNesting));
    }
    VECC_TRY(TermPtr left, parse_product());
    for (;;) {
      const std::size_t at = reader_->position();
      const bool adds = reader_->accept('+');
      if (!adds && !reader_->accept('-')) break;
      VECC_TRY(TermPtr right, parse_product());
      if (!adds) {
        VECC_TRY(right, combine(Combination::ElProduct, {constant_term(-1), right}, at));
      }
      VECC_TRY(left, combine(Combination::Sum, {left, right}, at));
    }
    --nesting_;
    return left;
  }

  // a * b / c, entry by entry, and a @ b, the matrix product
  Result<TermPtr> parse_product() {
    VECC_TRY(TermPtr left, parse_factor());
    for (;;) {
      (void)reader_->peek();
      const std::size_t at = reader_->position();
      const bool divides = reader_->accept('/');
      const bool multiplies = !divides && reader_->accept('@');
      if (!divides && !multiplies && !reader_->accept('*')) return left;
      VECC_TRY(TermPtr right, parse_factor());
      if (divides) right = transform_term(Transformation::Inverse, right);
      const auto function = multiplies ? Combination::Product : Combination::ElProduct;
      VECC_TRY(left, combine(function, {left, right}, at));
    }
  }

  Result<TermPtr> parse_factor() {
    bool is_negative = false;
    while (reader_->accept('-')) is_negative = !is_negative;
    VECC_TRY(TermPtr term, parse_operand());
    if (!is_negative) return term;
    if (term->is_constant()) return constant_term(-term->node.constant);
    return combine(Combination::ElProduct, {constant_term(-1), term}, reader_->position());
  }

  Result<TermPtr> parse_operand() {
    if (reader_->accept('(')) {
      VECC_TRY(TermPtr inner, parse_sum());
      if (!reader_->accept(')')) return reader_->expected("\")\"");
      return inner;
    }
    if (const auto number = reader_->take_number()) return constant_term(*number);
    (void)reader_->peek();
    const std::size_t begin = reader_->position();
    const std::string name = reader_->take_dotted_name();
    if (name.empty()) return reader_->expected("a number, a name, a function or \"(\"");
    const char next = reader_->peek();
    if (next == '(' || next == '[') return parse_call(name, begin);
    return find_value(name, begin);
  }

  Result<TermPtr> find_value(const std::string& name, std::size_t at) {
    if (const auto found = values_.find(name); found != values_.end()) {
      unread_.erase(name);
      return found->second;
    }
    const bool is_head = name == "h" || name.starts_with("h.");
    const bool is_tail = name == "t" || name.starts_with("t.");
    const bool is_entity = is_head || is_tail;
    const std::string table = is_entity ? "e" + name.substr(1) : name;
    const auto found = std::ranges::find(formula_.parameters, table, &ScoreParameter::name);
    if (found != formula_.parameters.end() && (is_entity || !is_table_of_entities(*found))) {
      const ScoreRole role = is_head                                    ? ScoreRole::Head
                             : is_tail                                  ? ScoreRole::Tail
                             : found->owner == ParameterOwner::Relation ? ScoreRole::Relation
                                                                        : ScoreRole::Shared;
      return input_of(role, static_cast<std::uint32_t>(found - formula_.parameters.begin()));
    }
    if (found != formula_.parameters.end()) {
      return reader_->error_at(at, ErrorCode::ProgramSyntax,
                               quote(name) + " is a table of entities: h" + name.substr(1) +
                                   " and t" + name.substr(1) + " are its rows");
    }
    const bool has_owner = is_entity || name.starts_with("r.");
    return reader_->error_at(
        at, ErrorCode::ProgramSyntax,
        "unknown name " + quote(name) + "; h, r and t are there, others are declared on a line " +
            "before: " + (has_owner ? table : name) + ": " + (has_owner ? "dim" : "dim x dim"));
  }
  static bool is_table_of_entities(const ScoreParameter& parameter) {
    return parameter.owner == ParameterOwner::Entity;
  }

  TermPtr input_of(ScoreRole role, std::uint32_t parameter) {
    for (std::uint32_t i = 0; i < formula_.inputs.size(); ++i) {
      const ScoreInput& input = formula_.inputs[i];
      if (input.role == role && input.parameter == parameter) return terms_[i];
    }
    formula_.inputs.push_back({role, parameter});
    terms_.push_back(input_term(static_cast<std::uint32_t>(terms_.size()),
                                formula_.parameters[parameter].shape));
    return terms_.back();
  }

  Result<TermPtr> parse_call(const std::string& name, std::size_t begin) {
    std::optional<std::size_t> bracket;
    std::string_view parameters;
    Shape target;
    if (reader_->accept('[')) {
      bracket = reader_->position();
      if (name == "reshape" || name == "broadcast") {
        VECC_TRY(target, reader_->take_shape());
        if (!reader_->accept(']')) return reader_->expected("\"]\"");
      } else {
        VECC_TRY(parameters, reader_->take_bracketed());
      }
    }
    if (!reader_->accept('(')) return reader_->expected("\"(\"");
    std::vector<TermPtr> operands;
    do {
      VECC_TRY(operands.emplace_back(), parse_sum());
    } while (reader_->accept(','));
    if (!reader_->accept(')')) return reader_->expected("\",\" or \")\"");
    if (!bracket) {
      if (const auto made = short_form(name, operands)) return *made;
    }
    return operands.size() == 1 ? call_transform(name, begin, parameters, target, operands)
                                : call_combine(name, begin, parameters, operands);
  }

  // sum(x), norm1(x), norm2(x), dot(x, y): functions that are several of the table's.
  std::optional<TermPtr> short_form(const std::string& name, const std::vector<TermPtr>& operands) {
    const TermPtr& x = operands.front();
    if (operands.size() == 1 && name == "sum") return entry_sum_term(x);
    if (operands.size() == 1 && name == "norm1") {
      return entry_sum_term(transform_term(Transformation::Abs, x));
    }
    if (operands.size() == 1 && name == "norm2") {
      const TermPtr column = column_term(std::span(operands));
      const TermPtr squares = dot_term(column, column);
      return transform_term(Transformation::Sqrt,
                            combine_term(Combination::Sum, {squares, constant_term(kRootFloor)}));
    }
    // A product of matrices of one number is a number, too.
    const bool fits = operands.size() == 2 && (x->shape == operands[1]->shape ||
                                               x->shape.size() * operands[1]->shape.size() == 1);
    const bool is_dot = fits && name == "dot";
    if (!is_dot) return std::nullopt;
    const auto column = [&](const TermPtr& term) { return column_term({&term, 1}); };
    return dot_term(column(x), column(operands[1]));
  }

  Result<TermPtr> call_transform(const std::string& name, std::size_t begin,
                                 std::string_view parameters, Shape target,
                                 std::vector<TermPtr> operands) {
    const auto id = parse_transformation(name);
    if (!id) return unknown(name, begin, 1);
    ExprNode node;
    node.kind = ExprNode::Kind::Transform;
    node.transformation.id = *id;
    if (*id == Transformation::Reshape || *id == Transformation::Broadcast) {
      node.transformation.target = target;
    } else {
      const std::string problem = word_count(*id) > 0
                                      ? parse_words(parameters, *id, node.words)
                                      : parse_parameters(parameters, node.transformation);
      if (!problem.empty()) return reader_->error_at(begin, ErrorCode::ParameterRange, problem);
    }
    return make_term(node, std::move(operands), reader_->place_at(begin));
  }

  Result<TermPtr> call_combine(const std::string& name, std::size_t begin,
                               std::string_view parameters, std::vector<TermPtr> operands) {
    if (name == "dot") {
      return reader_->error_at(begin, ErrorCode::ShapeMismatch,
                               "dot of " + operands[0]->shape.text() + " and " +
                                   operands[1]->shape.text() + ": expected two of one shape");
    }
    const auto id = parse_combination(name);
    if (!id || *id == Combination::FunctionGraph || *id == Combination::Count) {
      return unknown(name, begin, operands.size());
    }
    ExprNode node;
    node.kind = ExprNode::Kind::Combine;
    node.combination = *id;
    if (*id == Combination::Concat && trim(parameters) == "axis=0") {
      node.axis = 0;
    } else if (!trim(parameters).empty()) {
      return reader_->error_at(begin, ErrorCode::ParameterRange, name + " has no such parameter");
    }
    return make_term(node, std::move(operands), reader_->place_at(begin));
  }

  [[nodiscard]] Errors unknown(const std::string& name, std::size_t begin,
                               std::size_t arity) const {
    const bool is_known = parse_transformation(name) || parse_combination(name) || name == "dot" ||
                          name == "norm1" || name == "norm2";
    if (is_known) {
      return reader_->error_at(begin, ErrorCode::FanIn,
                               name + " has " + std::to_string(arity) +
                                   (arity == 1 ? " operand, expected more" : " operands"));
    }
    return reader_->error_at(begin, ErrorCode::UnknownFunction,
                             "unknown function " + quote(name) +
                                 "; docs/functions.md has all, and sum, dot, norm1 and norm2");
  }

  Result<TermPtr> combine(Combination function, std::vector<TermPtr> operands, std::size_t at) {
    ExprNode node;
    node.kind = ExprNode::Kind::Combine;
    node.combination = function;
    return make_term(node, std::move(operands), reader_->place_at(at));
  }

  // That a head and a tail, all lines with a name and all that is declared are read.
  [[nodiscard]] Result<void> check_inputs() const {
    if (!unread_.empty()) {
      return Errors(ErrorCode::ProgramSyntax, std::string(place_),
                    quote(*unread_.begin()) + " is the name of a line, and not read");
    }
    for (const ScoreRole role : {ScoreRole::Head, ScoreRole::Tail}) {
      if (std::ranges::find(formula_.inputs, role, &ScoreInput::role) != formula_.inputs.end()) {
        continue;
      }
      return Errors(ErrorCode::ProgramSyntax, std::string(place_),
                    std::string("the formula does not read ") +
                        (role == ScoreRole::Head ? "h" : "t") +
                        ": every head or tail would have the same score");
    }
    if (std::ranges::find(formula_.inputs, ScoreRole::Relation, &ScoreInput::role) ==
        formula_.inputs.end()) {
      return Errors(ErrorCode::ProgramSyntax, std::string(place_),
                    "the formula does not read r, nor any r.NAME: all relations would be one");
    }
    for (const std::string& name : declared_) {
      if (is_read(name)) continue;
      return Errors(ErrorCode::ProgramSyntax, std::string(place_),
                    quote(name) + " is declared, and not read");
    }
    return {};
  }

  // Parameters that are read, by owner, each behind the one before.
  void lay_out() {
    std::vector<ScoreParameter> ordered;
    std::vector<std::uint32_t> number(formula_.parameters.size());
    for (const ParameterOwner owner :
         {ParameterOwner::Entity, ParameterOwner::Relation, ParameterOwner::Shared}) {
      std::uint32_t& width = owner == ParameterOwner::Entity     ? formula_.entity_width
                             : owner == ParameterOwner::Relation ? formula_.relation_width
                                                                 : formula_.shared_width;
      for (std::size_t p = 0; p < formula_.parameters.size(); ++p) {
        ScoreParameter parameter = formula_.parameters[p];
        if (parameter.owner != owner || !is_read(parameter.name)) continue;
        parameter.begin = width;
        width += static_cast<std::uint32_t>(parameter.shape.size());
        number[p] = static_cast<std::uint32_t>(ordered.size());
        ordered.push_back(std::move(parameter));
      }
    }
    for (ScoreInput& input : formula_.inputs) input.parameter = number[input.parameter];
    formula_.parameters = std::move(ordered);
  }

  std::string_view place_;
  std::string_view text_;
  ScoreFormula formula_;
  ScoreReader* reader_ = nullptr;
  std::size_t lines_ = 0;
  std::size_t nesting_ = 0;
  std::set<std::string> declared_;
  std::map<std::string, TermPtr> values_;  // of lines with a name
  std::set<std::string> unread_;           // their names
  std::vector<TermPtr> terms_;             // by input
};

}  // namespace

std::uint32_t ScoreFormula::width_of(ParameterOwner owner) const {
  switch (owner) {
    case ParameterOwner::Entity: return entity_width;
    case ParameterOwner::Relation: return relation_width;
    case ParameterOwner::Shared: return shared_width;
  }
  return 0;
}

Result<ScoreFormula> parse_score_formula(std::string_view text, const ScoreDims& dims,
                                         std::string_view place) {
  if (text.size() > kMostScoreBytes) {
    return Errors(ErrorCode::ProgramSyntax, std::string(place),
                  "a text of " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(kMostScoreBytes));
  }
  return ScoreParser(text, dims, place).parse();
}

std::string_view tucker_text() {
  return "W: dim*dim x relation_dim\n"
         "M = reshape[dim x dim](W @ r)\n"
         "dot(h, M @ t)";
}

}  // namespace vecc::kg
