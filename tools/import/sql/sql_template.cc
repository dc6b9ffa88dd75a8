#include "tools/import/sql/sql_template.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <set>
#include <utility>

#include "vecc/escape.h"

namespace vecc::tools::sql {
namespace {

/// A rule has at most 60 literals, and two a category.
constexpr std::size_t kCategoriesOfRule = 25;

// A decimal of the language, whose exponents follow a dot and a digit.
std::string decimal(double x) {
  return std::abs(x) >= 1 || x == 0 ? fmt::format("{:.6f}", x) : fmt::format("{:#.9g}", x);
}

class TemplateMaker {
 public:
  TemplateMaker(const Schema& schema, const std::vector<ColumnCode>& codes, const SqlTarget& target,
                const SqlModelOptions& options)
      : schema_(schema), codes_(codes), target_(target), options_(options) {}

  SqlTemplate make() {
    find_hops();
    name_predicates();
    for (std::uint32_t t = 0; t < schema_.tables.size(); ++t) {
      if (out_.tables[t].is_reached) add_rows(t);
    }
    for (std::uint32_t hop = 1; hop <= options_.hops; ++hop) add_hop(hop);
    add_output();
    return std::move(out_);
  }

 private:
  TablePredicates& table(std::uint32_t t) { return out_.tables[t]; }

  void find_hops() {
    out_.tables.resize(schema_.tables.size());
    out_.links.resize(schema_.foreign_keys.size());
    std::deque<std::uint32_t> queue{target_.table};
    if (target_.other && *target_.other != target_.table) queue.push_back(*target_.other);
    for (const std::uint32_t t : queue) table(t).is_reached = true;
    while (!queue.empty()) {
      const std::uint32_t t = queue.front();
      queue.pop_front();
      const std::uint32_t next = table(t).hops + 1;
      if (next > options_.hops) continue;
      for (const ForeignKey& key : schema_.foreign_keys) {
        if (key.table != t && key.parent != t) continue;
        const std::uint32_t other = key.table == t ? key.parent : key.table;
        if (std::exchange(table(other).is_reached, true)) continue;
        table(other).hops = next;
        queue.push_back(other);
      }
    }
  }

  // A name of the language that no other has.
  std::string name(const std::string& prefix, const std::string& words) {
    std::string out = prefix;
    for (const char c : words) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      out += letter ? c : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_');
    }
    const std::string base = out;
    for (int i = 2; !names_.insert(out).second; ++i) out = base + "_" + std::to_string(i);
    return out;
  }

  void name_predicates() {
    stems_.resize(schema_.tables.size());
    for (std::uint32_t t = 0; t < schema_.tables.size(); ++t) {
      if (!table(t).is_reached) continue;
      stems_[t] = name("", schema_.tables[t].name);
      table(t).row = name("row_", stems_[t]);
    }
    for (std::uint32_t c = 0; c < codes_.size(); ++c) {
      TablePredicates& of = table(codes_[c].at.table);
      if (!of.is_reached) continue;
      if (codes_[c].width() > 0) {
        of.entries.push_back(c);
        of.width += codes_[c].width();
        if (options_.has_ages && codes_[c].kind == ColumnKind::Time) of.ages.push_back(c);
      } else if (codes_[c].kind == ColumnKind::Category) {
        const std::string column =
            schema_.tables[codes_[c].at.table].columns[codes_[c].at.column].name;
        const std::string stem = name("value_", stems_[codes_[c].at.table] + "_" + column);
        of.categories.push_back({c, stem, "of_" + stem, "w_" + stem});
      }
    }
    for (std::uint32_t t = 0; t < schema_.tables.size(); ++t) {
      if (!table(t).ages.empty()) table(t).age = name("age_", stems_[t]);
    }
    for (std::size_t k = 0; k < schema_.foreign_keys.size(); ++k) {
      const ForeignKey& key = schema_.foreign_keys[k];
      // A key that leads from the last hop to the last hop is in no rule.
      const bool both = table(key.table).is_reached && table(key.parent).is_reached;
      if (!both || std::min(table(key.table).hops, table(key.parent).hops) >= options_.hops) {
        continue;
      }
      out_.links[k] = name(
          "key_", stems_[key.table] + "_" + schema_.tables[key.table].columns[key.columns[0]].name);
    }
  }

  [[nodiscard]] std::string at(std::uint32_t hop, std::uint32_t t) const {
    return fmt::format("h{}_{}", hop, stems_[t]);
  }

  void add_rows(std::uint32_t t) {
    const TablePredicates& of = table(t);
    std::string columns = "1";
    for (const std::uint32_t c : of.entries) {
      columns += fmt::format(", {} ({})", schema_.tables[t].columns[codes_[c].at.column].name,
                             name_of(codes_[c].kind));
    }
    if (!of.age.empty()) columns += ", ages of the times";
    // Names are the database's: nothing in them ends the comment.
    out_.text += fmt::format("\n% {}: {}\n", escape_terminal(schema_.tables[t].name, 400),
                             escape_terminal(columns, 4000));
    const std::string head = at(0, t);
    const auto link = [&](std::size_t i) {
      const CategoryPredicates& category = of.categories[i];
      return fmt::format("${}={{{},{}}} {}(C{}), *{}(X, C{})", category.weight, options_.dim,
                         codes_[category.code].category_count(), category.value, i, category.link,
                         i);
    };
    std::string body = fmt::format("{{{},{}}} {}(X)", options_.dim, of.width, of.row);
    if (!of.age.empty()) {
      body += fmt::format(", {{{},{}}} {}(X)", options_.dim, 2 * of.ages.size(), of.age);
    }
    for (std::size_t i = 0; i < of.categories.size(); ++i) {
      if (i > 0 && i % kCategoriesOfRule == 0) {
        out_.text += fmt::format("{}(X) :- {}. [transformation=identity]\n", head, body);
        body.clear();
      }
      body += (body.empty() ? "" : ", ") + link(i);
    }
    out_.text += fmt::format("{}(X) :- {}. [transformation=identity]\n", head, body);
    out_.text += fmt::format("{}/1 [transformation=tanh]\n", head);
  }

  void add_hop(std::uint32_t hop) {
    const std::string square = fmt::format("{{{0},{0}}}", options_.dim);
    for (std::uint32_t t = 0; t < schema_.tables.size(); ++t) {
      if (!table(t).is_reached || table(t).hops + hop > options_.hops) continue;
      const std::string head = at(hop, t);
      out_.text += fmt::format("\n{}(X) :- {} {}(X). [transformation=identity]\n", head, square,
                               at(hop - 1, t));
      for (std::size_t k = 0; k < schema_.foreign_keys.size(); ++k) {
        const ForeignKey& key = schema_.foreign_keys[k];
        if (out_.links[k].empty()) continue;
        if (key.table == t) {
          out_.text += fmt::format("{}(X) :- {} {}(Y), *{}(X, Y). [transformation=identity]\n",
                                   head, square, at(hop - 1, key.parent), out_.links[k]);
        }
        if (key.parent == t) {
          out_.text += fmt::format(
              "{}(X) :- {} {}(Y), *{}(Y, X). [transformation=identity, aggregation={}]\n", head,
              square, at(hop - 1, key.table), out_.links[k], options_.aggregation);
        }
      }
      out_.text += fmt::format("{}/1 [transformation=tanh]\n", head);
    }
  }

  // A layer over both rows: a score, which only its order means something of.
  void add_link_output() {
    out_.text += fmt::format(
        "\njoined(X, Y) :- {{{0},{0}}} {1}(X), {{{0},{0}}} {2}(Y), *{3}(X, Y). "
        "[transformation=identity]\njoined/2 [transformation=tanh]\n",
        options_.dim, at(options_.hops, target_.table), at(options_.hops, *target_.other),
        kCandidate);
    out_.text += fmt::format(
        "{0}(X, Y) :- {{1,{1}}} joined(X, Y). [transformation=identity]\n{0}/2 "
        "[transformation=identity]\n",
        kPredict, options_.dim);
  }

  void add_output() {
    if (target_.other) return add_link_output();
    const std::uint32_t size = target_.output_size();
    const std::string last = at(options_.hops, target_.table);
    const std::string_view head = target_.is_class ? kPredict : "standardised";
    out_.text += fmt::format("\n{}(X) :- {{{},{}}} {}(X), {{{}}}. [transformation=identity]\n",
                             head, size, options_.dim, last, size);
    if (target_.is_class) {
      out_.text +=
          fmt::format("{}/1 [transformation={}]\n", kPredict, size > 1 ? "softmax" : "sigmoid");
      return;
    }
    out_.text += fmt::format("{}/1 [transformation=identity]\n", head);
    out_.text += fmt::format("{}(X) :- <{}> {}(X), <{}>. [transformation=identity]\n", kPredict,
                             decimal(target_.deviation), head, decimal(target_.mean));
    out_.text += fmt::format("{}/1 [transformation=identity]\n", kPredict);
  }

  const Schema& schema_;
  const std::vector<ColumnCode>& codes_;
  const SqlTarget& target_;
  const SqlModelOptions& options_;
  SqlTemplate out_;
  std::set<std::string> names_;
  std::vector<std::string> stems_;
};

}  // namespace

SqlTemplate make_template(const Schema& schema, const std::vector<ColumnCode>& codes,
                          const SqlTarget& target, const SqlModelOptions& options) {
  return TemplateMaker(schema, codes, target, options).make();
}

}  // namespace vecc::tools::sql
