// Expressions over rows: an expression of Python each, in steps where it gets long.
#include <cmath>
#include <optional>
#include <utility>

#include "src/emit/python/op_emitter.h"
#include "src/function/parameter_text.h"

namespace vecc::python {
namespace {

constexpr std::size_t kLongTerm = 60;

std::string literal_text(double value) {
  if (std::isnan(value)) return "math.nan";
  if (std::isinf(value)) return value > 0 ? "math.inf" : "-math.inf";
  return number_text(value);
}

}  // namespace

/// A node of an expression. `literal`: a number of Python, no tensor.
struct OpEmitter::Term {
  enum class Precedence : std::uint8_t { Sum, Product, Atom };

  Code code;
  Shape shape;
  bool single = false;  ///< one row for all
  Precedence precedence = Precedence::Atom;
  std::optional<double> literal;
};

class OpEmitter::ExprEmitter {
  using Precedence = Term::Precedence;

 public:
  ExprEmitter(OpEmitter& out, ValueId id) : out_(out), id_(id), op_(out.program_.op(id)) {}

  Code emit(const Expr& expr) {
    std::vector<Term> stack;
    for (const ExprNode& node : expr.nodes) {
      switch (node.kind) {
        case ExprNode::Kind::Input: stack.push_back(input(node.input)); break;
        case ExprNode::Kind::Constant: stack.push_back(constant(node.constant)); break;
        case ExprNode::Kind::Transform: stack.back() = transform(node, stack.back()); break;
        case ExprNode::Kind::Combine: {
          std::vector<Term> operands(stack.end() - node.arity, stack.end());
          stack.resize(stack.size() - node.arity);
          stack.push_back(combine(node, std::move(operands)));
          break;
        }
        case ExprNode::Kind::Draw: {
          std::vector<Term> words(stack.end() - node.arity, stack.end());
          stack.resize(stack.size() - node.arity);
          stack.push_back(settle(draw(words)));
          break;
        }
      }
    }
    const Term result = tensor(std::move(stack.back()));
    if (!result.single || op_.rows == 1) return result.code;
    return spread_rows(result);
  }

 private:
  [[nodiscard]] Term input(std::uint32_t k) const {
    const Op& operand = out_.program_.op(op_.operands[k]);
    return {out_.reads_[op_.operands[k]], operand.shape, operand.rows == 1, Precedence::Atom, {}};
  }
  static Term constant(double value) {
    return {Code(), Shape::scalar(), true, Precedence::Atom, value};
  }
  // As a tensor of one row, where it is a number.
  Term tensor(Term term) const {
    if (!term.literal) return term;
    const std::string number = literal_text(*term.literal);
    return {Code(out_.buffers_.one(), ".new_full((1,), ", number, ")"),
            Shape::scalar(),
            true,
            Precedence::Atom,
            {}};
  }

  // Something that may stand before a dot.
  Code atom(const Term& term, Precedence least = Precedence::Atom) const {
    if (term.literal) {
      const std::string text = literal_text(*term.literal);
      return Code(text[0] == '-' ? "(" + text + ")" : text);
    }
    return term.precedence >= least ? term.code : Code("(", term.code, ")");
  }

  // In a line of its own, if it is long.
  Term settle(Term term, bool always = false) {
    const bool is_name = term.code.tokens().size() == 1;
    if (is_name || (!always && term.code.length() <= kLongTerm)) return term;
    const auto step = static_cast<NameId>(out_.name_count());
    out_.steps_.push_back(out_.label("map", id_) + "_" + std::to_string(++step_count_));
    out_.statements_.push_back({step, std::move(term.code), op_.note});
    term.code = Code(Name{step});
    term.precedence = Precedence::Atom;
    return term;
  }

  [[nodiscard]] Code spread_rows(const Term& term) const {
    std::string rest;
    for (std::size_t d = 0; d < dimensions(term.shape).size(); ++d) rest += ", -1";
    return Code(atom(term), ".expand(", op_.rows, rest, ")");
  }

  Term transform(const ExprNode& node, const Term& operand) {
    const TransformationSpec& spec = node.transformation;
    const auto words = std::span(node.words).first(word_count(spec.id));
    Term x = tensor(operand);
    if (spec.id == Transformation::Signum) x = settle(std::move(x), /*always=*/true);
    const auto shape = transformed_shape(spec, words, x.shape, "");
    VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
    const bool is_sum = spec.id == Transformation::Reverse;
    return settle({out_.transform(spec, words, x.shape, atom(x)),
                   *shape,
                   x.single,
                   is_sum ? Precedence::Sum : Precedence::Atom,
                   {}});
  }

  // a + b + c, a * b * c
  Term chain(const std::vector<Term>& operands, Shape shape, bool sums) const {
    Term result{Code(), shape, true, sums ? Precedence::Sum : Precedence::Product, {}};
    bool all_literal = true;
    for (const Term& operand : operands) all_literal = all_literal && operand.literal;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Term& operand = all_literal ? tensor(operands[k]) : operands[k];
      if (k > 0) result.code.add(sums ? " + " : " * ");
      const std::string suffix = operand.literal ? "" : spread(operand.shape, shape);
      const Precedence least = !suffix.empty()  ? Precedence::Atom
                               : sums && k == 0 ? Precedence::Sum
                                                : Precedence::Product;
      result.code.add(atom(operand, sums ? least : std::max(least, Precedence::Product)));
      result.code.add(suffix);
      result.single = result.single && operand.single;
    }
    return result;
  }

  // All as [rows, entries].
  Code entries(std::vector<Term>& operands, bool& single) const {
    single = true;
    for (Term& operand : operands) {
      operand = tensor(operand);
      single = single && operand.single;
    }
    Code code;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Term& x = operands[k];
      if (k > 0) code.add(", ");
      code.add(x.single && !single ? spread_rows(x) : atom(x));
      if (x.shape.is_scalar()) code.add("[:, None]");
      if (x.shape.is_matrix()) code.add(".flatten(1)");
    }
    return Code("torch.cat([", code, "], 1)");
  }

  Term concat(std::vector<Term> operands, Shape shape) const {
    bool single = false;
    Code code = entries(operands, single);
    if (shape.is_matrix()) code.add(".reshape(-1" + more_dimensions(shape) + ")");
    return {std::move(code), shape, single, Precedence::Atom, {}};
  }

  // Two by two, from the left.
  template <class Fold>
  Term fold(std::vector<Term> operands, Fold&& fold_two) {
    Term result = tensor(std::move(operands[0]));
    for (std::size_t k = 1; k < operands.size(); ++k) {
      const Term next = tensor(std::move(operands[k]));
      Term both = fold_two(result, next);
      both.single = result.single && next.single;
      result = k + 1 < operands.size() ? settle(std::move(both)) : std::move(both);
    }
    return result;
  }

  Term select(std::vector<Term> operands, bool largest) {
    out_.helpers_.use(Helper::Select);
    return fold(std::move(operands), [&](const Term& a, const Term& b) {
      return Term{
          Code("select(", a.code, ", ", b.code, largest ? ", largest=True)" : ", largest=False)"),
          a.shape,
          false,
          Precedence::Atom,
          {}};
    });
  }

  Term product(std::vector<Term> operands) {
    return fold(std::move(operands), [&](const Term& a, const Term& b) {
      Code code = multiply({atom(a), a.shape, false, "n"}, {atom(b), b.shape, false, "n"}, "n");
      return Term{std::move(code), *times_shape(a.shape, b.shape), false, Precedence::Product, {}};
    });
  }

  Term cross_sum(std::vector<Term> operands) {
    const auto column = [&](const Term& x) {
      if (x.shape.is_scalar()) return Code(atom(x), "[:, None]");
      return x.shape.is_matrix() ? Code(atom(x), ".flatten(1)") : atom(x);
    };
    return fold(std::move(operands), [&](const Term& a, const Term& b) {
      const auto size = static_cast<std::uint32_t>(a.shape.size() * b.shape.size());
      return Term{Code("(", column(a), "[:, :, None] + ", column(b), "[:, None]).flatten(1)"),
                  Shape::column(size),
                  false,
                  Precedence::Atom,
                  {}};
    });
  }

  Term cosine(const std::vector<Term>& operands) const {
    out_.helpers_.use(Helper::Cosine);
    return {Code("cosine(", operands[0].code, ", ", operands[1].code, ")"),
            Shape::scalar(),
            operands[0].single && operands[1].single,
            Precedence::Atom,
            {}};
  }

  Term draw(const std::vector<Term>& words) const {
    out_.helpers_.use(Helper::Draw);
    std::vector<Shape> shapes;
    for (const Term& word : words) shapes.push_back(word.shape);
    const auto shape = drawn_shape(shapes, "expression");
    VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
    Term result{Code("draw("), *shape, true, Precedence::Atom, {}};
    for (std::size_t k = 0; k < words.size(); ++k) {
      const Term word = tensor(words[k]);
      if (k > 0) result.code.add(", ");
      result.code.add(atom(word));
      result.code.add(spread(word.shape, *shape));
      result.single = result.single && word.single;
    }
    result.code.add(")");
    return result;
  }

  Term combine(const ExprNode& node, std::vector<Term> operands) {
    std::vector<Shape> shapes;
    for (const Term& operand : operands) shapes.push_back(operand.shape);
    const auto shape = combined_shape(node.combination, node.axis, nullptr, shapes, "expression");
    VECC_CHECK(shape.has_value(), shape ? "" : shape.error().text());
    return settle(combine(node.combination, *shape, std::move(operands)));
  }

  Term combine(Combination combination, Shape shape, std::vector<Term> operands) {
    const auto call = [&](const char* before, const char* after) {
      Term term = concat(std::move(operands), shape);
      term.code = Code(before, term.code, after);
      return term;
    };
    switch (combination) {
      case Combination::Sum: return chain(operands, shape, /*sums=*/true);
      case Combination::Avg: {
        Term sum = chain(operands, shape, /*sums=*/true);
        sum.code = Code("(", sum.code, ") / ", operands.size());
        sum.precedence = Precedence::Product;
        return sum;
      }
      case Combination::ElProduct: return chain(operands, shape, /*sums=*/false);
      case Combination::Max: return select(std::move(operands), true);
      case Combination::Min: return select(std::move(operands), false);
      case Combination::Count: return constant(static_cast<double>(operands.size()));
      case Combination::Concat: return concat(std::move(operands), shape);
      case Combination::Softmax: return call("torch.softmax(", ", 1)");
      case Combination::Sparsemax:
        out_.helpers_.use(Helper::Sparsemax);
        return call("sparsemax(", ")");
      case Combination::Product: return product(std::move(operands));
      case Combination::CrossSum: return cross_sum(std::move(operands));
      case Combination::CosSim: return cosine(operands);
      case Combination::ElMax:
      case Combination::ElMin:
      case Combination::FunctionGraph: break;  // check_expr refuses them inside an expression
    }
    fail_check("a combination of an expression", __FILE__, __LINE__,
               std::string(info(combination).text));
  }

  OpEmitter& out_;
  ValueId id_;
  const Op& op_;
  std::uint32_t step_count_ = 0;
};

Code OpEmitter::emit_op(const MapOp& op, ValueId id) {
  return ExprEmitter(*this, id).emit(*op.expr);
}

}  // namespace vecc::python
