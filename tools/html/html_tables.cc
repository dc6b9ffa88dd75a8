#include "html_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "src/support/quantity_text.h"
#include "vecc/escape.h"
#include "vecc/program_text.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kMostTableOps = 400;
constexpr std::size_t kMostOpBytes = 240;
constexpr double kTrackWidth = 420;  // .track of the style sheet
constexpr double kShareWidth = 160;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::uint64_t bytes_of(const Op& op) {
  return op.size() * byte_size(op.dtype);
}

// "+1.2 %", "-95.7 %"; empty if nothing changed.
std::string change_text(std::uint64_t before, std::uint64_t after) {
  if (before == after) return "";
  if (before == 0) return "new";
  const double change = static_cast<double>(after) / static_cast<double>(before) - 1;
  if (std::abs(change) < 0.0005) return "< 0.1 %";
  return fmt::format("{}{:.1f} %", change < 0 ? "\xE2\x88\x92" : "+", 100 * std::abs(change));
}

std::string share_cell(double share) {
  return fmt::format("<td class='l'><span class='bar' style='width:{:.1f}px'></span> {:.1f} %</td>",
                     kShareWidth * share, 100 * share);
}

// Which part an op has of what the Program takes: of the time if it was measured, else of the
// values' bytes.
class Shares {
 public:
  explicit Shares(const HtmlInput& input) : input_(input), total_(sum(input.op_seconds)) {
    VECC_CHECK(input.op_seconds.empty() || input.op_seconds.size() == input.after.ops().size(),
               "seconds of every op, or of none");
    measured_ = total_ > 0;
    if (measured_) return;
    total_ = 0;
    for (const Op& op : input.after.ops()) total_ += static_cast<double>(bytes_of(op));
  }
  [[nodiscard]] bool measured() const { return measured_; }
  [[nodiscard]] double of(ValueId id) const {
    if (measured_) return input_.op_seconds[id] / total_;
    return total_ > 0 ? static_cast<double>(bytes_of(input_.after.op(id))) / total_ : 0;
  }
  [[nodiscard]] const char* title() const {
    return measured_ ? "share of the time" : "share of the bytes";
  }

 private:
  const HtmlInput& input_;
  double total_ = 0;
  bool measured_ = false;
};

struct KindTotals {
  std::array<std::uint64_t, kOpKinds> ops{};
  std::array<std::uint64_t, kOpKinds> rows{};
};

KindTotals count_kinds(const Program& program) {
  KindTotals totals;
  for (const Op& op : program.ops()) {
    ++totals.ops[op.attributes.index()];
    totals.rows[op.attributes.index()] += op.rows;
  }
  return totals;
}

std::string pass_line(const PassRun& run, double pixels_per_row) {
  const auto width = [&](std::uint64_t rows) { return static_cast<double>(rows) * pixels_per_row; };
  const std::uint64_t kept = std::min(run.before.rows, run.after.rows);
  const bool grew = run.after.rows > run.before.rows;
  const std::uint64_t rest = std::max(run.before.rows, run.after.rows) - kept;
  std::string counted;
  for (const auto& [what, count] : run.counters) {
    counted += fmt::format("\n{}: {}", what, text_of_count(count));
  }
  const PassInfo* info = find_pass(run.pass);
  return fmt::format(
      "<tr><td class='l' title='{}'>{}</td><td>{}</td><td>{}</td><td class='l'><span "
      "class='track'><span class='bar' style='width:{:.1f}px'></span><span class='{}' "
      "style='width:{:.1f}px'></span></span></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      escape_html((info == nullptr ? std::string() : std::string(info->does)) + counted),
      escape_html(run.pass), text_of_count(run.after.rows),
      change_text(run.before.rows, run.after.rows), width(kept), grew ? "more" : "gone",
      width(rest), text_of_count(run.after.ops),
      text_of_bytes(run.after.value_bytes + run.after.index_bytes), text_of_seconds(run.seconds));
}

std::string first_line(const ProgramStatistics& before, double pixels_per_row) {
  return fmt::format(
      "<tr><td class='l'>(before)</td><td>{}</td><td></td><td class='l'><span class='track'><span "
      "class='bar' "
      "style='width:{:.1f}px'></span></span></td><td>{}</td><td>{}</td><td></td></tr>\n",
      text_of_count(before.rows), static_cast<double>(before.rows) * pixels_per_row,
      text_of_count(before.ops), text_of_bytes(before.value_bytes + before.index_bytes));
}

// The ops that the table shows: all, or the ones that take most, in order.
std::vector<ValueId> table_ops(const Program& program, const Shares& shares) {
  std::vector<ValueId> ids(program.ops().size());
  std::iota(ids.begin(), ids.end(), 0);
  if (ids.size() <= kMostTableOps) return ids;
  std::ranges::stable_sort(ids, std::ranges::greater(), [&](ValueId id) { return shares.of(id); });
  ids.resize(kMostTableOps);
  std::ranges::sort(ids);
  return ids;
}

// The op's text without number, type and note, which have columns of their own.
std::string op_body(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  std::string text = print_op(program, id);
  const std::string number = fmt::format("%{} = ", id);
  const std::string type =
      fmt::format(" : {}[{}, {}]", text_of(op.dtype), op.rows, op.shape.text());
  const std::string end = op.note.empty() ? type : type + "  # " + escape_comment(op.note.text());
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  if (text.starts_with(number)) text.erase(0, number.size());
  return text.size() > kMostOpBytes ? escape_terminal(text, kMostOpBytes) : text;
}

std::string op_line(const HtmlInput& input, const Shares& shares, ValueId id) {
  const Op& op = input.after.op(id);
  std::string line = fmt::format(
      "<tr><td>%{}</td><td class='l code'><span class='chip k-{}'></span>{}</td><td class='l "
      "group'>{}</td><td>{}</td><td>{}</td><td>{}</td>",
      id, text_of(op.kind()), escape_html(op_body(input.after, id)),
      escape_html(escape_terminal(op.note.text())), text_of_count(op.rows), op.shape.text(),
      text_of_bytes(bytes_of(op)));
  if (shares.measured()) {
    line += fmt::format("<td>{}</td>", text_of_seconds(input.op_seconds[id]));
  }
  return line + share_cell(shares.of(id)) + "</tr>\n";
}

}  // namespace

std::string size_table(const HtmlInput& input) {
  const ProgramStatistics b = statistics(input.before);
  const ProgramStatistics a = statistics(input.after);
  using ToText = std::string (*)(std::uint64_t);
  const auto line = [](const char* name, std::uint64_t before, std::uint64_t after, ToText text) {
    return fmt::format("<tr><td class='l'>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", name,
                       text(before), text(after), change_text(before, after));
  };
  const ToText count = [](std::uint64_t n) { return text_of_count(n); };
  const ToText bytes = [](std::uint64_t n) { return text_of_bytes(n); };
  return "<table><tr><th></th><th>before</th><th>after</th><th>change</th></tr>\n" +
         line("ops", b.ops, a.ops, count) + line("rows computed", b.rows, a.rows, count) +
         line("bytes of values", b.value_bytes, a.value_bytes, bytes) +
         line("bytes of indices", b.index_bytes, a.index_bytes, bytes) +
         line("bytes of weights", b.parameter_bytes, a.parameter_bytes, bytes) + "</table>\n";
}

std::string kind_table(const HtmlInput& input) {
  const Shares shares(input);
  const KindTotals before = count_kinds(input.before);
  const KindTotals after = count_kinds(input.after);
  std::array<double, kOpKinds> share{};
  for (ValueId id = 0; id < input.after.ops().size(); ++id) {
    share[input.after.op(id).attributes.index()] += shares.of(id);
  }
  std::string text = fmt::format(
      "<table><tr><th class='l'>op</th><th>before</th><th>after</th><th>rows before</th>"
      "<th>rows after</th><th class='l'>{}</th></tr>\n",
      shares.title());
  for (std::size_t k = 0; k < kOpKinds; ++k) {
    if (before.ops[k] + after.ops[k] == 0) continue;
    const std::string_view kind = text_of(static_cast<OpKind>(k));
    text += fmt::format(
        "<tr><td class='l'><span class='chip k-{0}'></span>{0}</td><td>{1}</td><td>{2}</td>"
        "<td>{3}</td><td>{4}</td>{5}</tr>\n",
        kind, text_of_count(before.ops[k]), text_of_count(after.ops[k]),
        text_of_count(before.rows[k]), text_of_count(after.rows[k]), share_cell(share[k]));
  }
  return text + "</table>\n";
}

std::string pass_table(const HtmlInput& input) {
  const std::vector<PassRun>& runs = input.report.runs;
  if (runs.empty()) return "<p class='note'>No pass ran.</p>\n";
  std::uint64_t most = 1;
  for (const PassRun& run : runs) most = std::max({most, run.before.rows, run.after.rows});
  const double pixels_per_row = kTrackWidth / static_cast<double>(most);
  std::string text =
      "<table><tr><th class='l'>pass</th><th>rows left</th><th>change</th><th></th><th>ops</th>"
      "<th>values and indices</th><th>took</th></tr>\n" +
      first_line(runs.front().before, pixels_per_row);
  std::size_t unchanged = 0;
  for (const PassRun& run : runs) {
    unchanged += run.changed ? 0 : 1;
    if (run.changed) text += pass_line(run, pixels_per_row);
  }
  text += "</table>\n";
  if (unchanged == 0) return text;
  return text +
         fmt::format("<p class='note'>{} changed nothing.</p>\n",
                     text_of_count(unchanged, unchanged == runs.size() ? "run" : "other run"));
}

std::string candidate_table(const OptimizeReport& report) {
  if (report.candidates.empty()) return "";
  std::string text =
      "<details><summary>Presets and paddings that were looked at</summary>\n<table><tr>"
      "<th class='l'>lift-gathers</th><th class='l'>padding</th><th>predicted</th>"
      "<th>measured</th></tr>\n";
  for (const Candidate& c : report.candidates) {
    text += fmt::format(
        "<tr><td class='l'>{}</td><td class='l'>{}</td><td>{}</td><td>{}</td></tr>\n",
        escape_html(c.gather_preset), text_of(c.pad_mode), text_of_seconds(c.predicted_seconds),
        c.measured_seconds ? text_of_seconds(*c.measured_seconds) : "");
  }
  return text + "</table></details>\n";
}

std::string op_table(const HtmlInput& input) {
  const Shares shares(input);
  std::string text = fmt::format(
      "<table><tr><th></th><th class='l'>op</th><th class='l'>group</th><th>rows</th>"
      "<th>shape</th><th>bytes</th>{}<th class='l'>{}</th></tr>\n",
      shares.measured() ? "<th>time</th>" : "", shares.title());
  const std::vector<ValueId> ids = table_ops(input.after, shares);
  for (const ValueId id : ids) text += op_line(input, shares, id);
  text += "</table>\n";
  if (ids.size() == input.after.ops().size()) return text;
  return text + fmt::format("<p class='note'>Those {} of {} that take most.</p>\n",
                            text_of_count(ids.size()),
                            text_of_count(input.after.ops().size(), "op"));
}

}  // namespace vecc::tools
