// vecc-kg nearest
#include <CLI/CLI.hpp>

#include "src/kg/answers.h"
#include "src/support/enum_names.h"
#include "src/support/value_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"
#include "tools/kg/commands.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using kg::text_of;
using Json = nlohmann::ordered_json;

constexpr const char* kNearestFooter = R"(
Example:
  vecc-kg nearest w.safetensors --entity=/m/027rn --top=5

A line an entity, the nearest first: its name, and the cosine or the distance. Exit codes: those of
vecc.)";

struct NearestCommandLine {
  CLI::App app{"The entities whose embeddings are nearest to one's.", "vecc-kg nearest"};
  KgModelOptions model;
  std::string entity;
  std::string by = "cosine";
  std::uint32_t top = 10;
  bool json = false;

  NearestCommandLine() {
    app.footer(kNearestFooter);
    add_kg_model_options(app, model);
    app.add_option("--entity", entity, "Its name")->required()->type_name("NAME");
    app.add_option("--by", by, "The largest cosines, or the smallest distances")
        ->check(CLI::IsMember(names_of<kg::NearnessKind>()).description(""))
        ->type_name(names_text<kg::NearnessKind>("|"))
        ->capture_default_str();
    add_whole(app, "--top", top, {1, UINT32_MAX}, "How many");
    app.add_flag("--json", json, "As one JSON object");
  }
  NearestCommandLine(const NearestCommandLine&) = delete;  // its options are referred to
  NearestCommandLine& operator=(const NearestCommandLine&) = delete;
};

Result<void> print_nearest(const NearestCommandLine& line) {
  VECC_TRY(const KgModel model, load_kg_model(line.model));
  VECC_TRY(const std::uint32_t entity, find_entity(model, line.entity, "--entity"));
  const auto kind = parse_name<kg::NearnessKind>(line.by).value_or(kg::NearnessKind::Cosine);
  const auto found = kg::nearest_entities(model.embeddings, entity, kind, line.top);
  std::string text = line.json ? "" : "entity\t" + line.by + "\n";
  Json list = Json::array();
  for (const kg::Neighbour& near : found) {
    const std::string_view name = model.entities.names()[near.entity];
    if (line.json) {
      list.push_back({{"entity", name}, {line.by, near.nearness}});
    } else {
      text += escape_terminal(name, std::string::npos) + "\t" +
              text_of_number(near.nearness, /*single=*/false) + "\n";
    }
  }
  if (line.json) {
    text = dump_json(Json{{"entity", line.entity}, {"nearest", std::move(list)}}, 2) + "\n";
  }
  return write_data("", text);
}

}  // namespace

int nearest_entities_main(int argc, char** argv) {
  NearestCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  set_up_logging("warn");
  const Result<void> result = print_nearest(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> nearest_entities_command_line() {
  return app_of(std::make_shared<NearestCommandLine>());
}

}  // namespace vecc::tools
