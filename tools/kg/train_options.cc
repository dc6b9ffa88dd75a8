#include "tools/kg/train_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <limits>
#include <vector>

#include "src/kg/train/learned_rows.h"
#include "src/support/enum_names.h"
#include "tools/common/number_options.h"
#include "tools/import/load/load_errors.h"
#include "tools/kg/device_options.h"
#include "tools/kg/kg_model.h"
#include "tools/kg/train_config.h"
#include "tools/vecc/weights_commands.h"

namespace vecc::tools {
namespace {

constexpr const char* kScore = "Score";
constexpr const char* kEncoder = "Encoder";
constexpr const char* kNegatives = "Negatives";
constexpr const char* kLoss = "Loss";
constexpr const char* kLabels = "k-vs-all";

template <class Enum>
void add_choice(CLI::App& app, const char* name, Enum& value, const char* text, const char* group) {
  app.add_option_function<std::string>(
         name,
         [&value, name](const std::string& word) {
           const auto parsed = parse_name<Enum>(word);
           if (!parsed) {
             throw CLI::ValidationError(name, word + " is none of " + names_text<Enum>(", "));
           }
           value = *parsed;
         },
         text)
      ->type_name(names_text<Enum>("|"))
      ->default_str(std::string(text_of(value)))
      ->group(group);
}

std::string trained_models() {
  std::string names;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    names += (names.empty() ? "" : "|") + std::string(info.name);
  }
  return names + "|tucker";
}

void add_score_options(CLI::App& app, KgTrainOptions& o) {
  app.add_option("--model", o.model,
                 "The score of a triple (docs/architectures.md); or --score has it")
      ->type_name(trained_models())
      ->group(kScore);
  app.add_option("--score", o.score,
                 "A formula of h, r and t, as \"-norm1(h + r - t)\", in at most 5 lines with ; or "
                 "line ends between; @FILE reads it (docs/knowledge-graphs.md)")
      ->type_name("TEXT|@FILE")
      ->group(kScore);
  o.train.dim = 200;
  add_whole(app, "--dim", o.train.dim, {1, 1 << 20},
            "Numbers of an entity; of complex and rotate complex ones")
      ->group(kScore);
  add_whole(app, "--relation-dim", o.train.relation_dim, {1, 1 << 20},
            "--score and tucker: numbers of r; else --dim")
      ->default_str("")
      ->group(kScore);
  add_whole(app, "--p", o.train.p, {1, 2}, "transe: 1 or 2, the norm's p")->group(kScore);
  app.add_option(
         "--inverse", o.inverse,
         "Also learn (t, r^-1, h) of each triple, and ask for heads by r^-1; then --corrupt "
         "is tail where it is not given")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off")
      ->capture_default_str()
      ->group(kScore);
  add_choice(app, "--init", o.train.initializer, "How weights begin", kScore);
  add_real(app, "--init-scale", o.train.initial_scale, RealRange::AboveZero,
           "What --init draws, times this")
      ->group(kScore);
}

void add_encoder_options(CLI::App& app, KgTrainOptions& o) {
  kg::EncoderOptions& encoder = o.train.encoder;
  add_choice(app, "--encoder", encoder.kind,
             "Layers over the training triples that make what the score reads of entities; none: "
             "it is learned",
             kEncoder);
  add_whole(app, "--layers", encoder.layers, {1, 64}, "Its layers")->group(kEncoder);
  add_wholes(app, "--encoder-dims", encoder.widths, {1, 1 << 20},
             "What each layer reads: numbers of an entity's learned row, then of the layers before "
             "the last; else all are the score's")
      ->group(kEncoder);
  add_whole(app, "--bases", encoder.bases, {0, 1 << 20},
            "rgcn: relations' matrices are sums of so many; 0: each has its own")
      ->group(kEncoder);
  add_whole(app, "--heads", encoder.heads, {1, 1 << 10}, "rgat, hgt: heads of attention")
      ->group(kEncoder);
  add_real(app, "--edge-dropout", encoder.edge_dropout, RealRange::BelowOne,
           "Probability of a triple's message edges to be left out of a step")
      ->group(kEncoder);
  app.add_flag("--mask-scored", encoder.leaves_scored_out,
               "A step leaves the message edges of the triples that it scores out")
      ->group(kEncoder);
  app.add_option_function<std::string>(
         "--self-loops", [&encoder](const std::string& text) { encoder.self_loops = text == "on"; },
         "A layer's result has a part of the entity's own row")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off")
      ->default_str("on")
      ->group(kEncoder);
}

void add_negative_options(CLI::App& app, kg::NegativeOptions& o) {
  app.add_option_function<std::string>(
         "--negatives",
         [&o](const std::string& text) {
           o.labels = text == kLabels;
           o.count =
               text == "all" || o.labels
                   ? 0
                   : static_cast<std::uint32_t>(parse_whole("--negatives", text, {1, 1 << 24}));
         },
         "Entities drawn for a chunk; all: every entity, none drawn (1-vs-all); k-vs-all: "
         "likewise, "
         "of each query with all its answers once (KvsAll, LCWA, 1-N)")
      ->type_name("N|all|k-vs-all")
      ->default_str("256")
      ->group(kNegatives);
  add_whole(app, "--chunk", o.chunk, {1, 1 << 24}, "Triples of a batch that share negatives")
      ->group(kNegatives);
  add_choice(app, "--corrupt", o.corruption,
             "What negatives replace. bernoulli: the head or the tail, by the relation's heads a "
             "tail and tails a head",
             kNegatives);
  add_choice(app, "--draw", o.draw,
             "With which probability an entity is drawn. degree: as (its triples)^0.75",
             kNegatives);
  app.add_flag("--filtered", o.filtered, "Negatives that are training triples do not count")
      ->group(kNegatives);
}

void add_loss_options(CLI::App& app, KgTrainOptions& o) {
  add_choice(app, "--loss", o.train.loss.loss, "Of a triple among its negatives", kLoss);
  add_real(app, "--margin", o.train.loss.margin, RealRange::Finite,
           "Of margin (default 1); of logistic what is added to scores (default 0)")
      ->default_str("")
      ->group(kLoss);
  add_real(app, "--adversarial", o.train.loss.adversarial, RealRange::AtLeastZero,
           "Negatives weigh as the softmax of this times their score; 0: all the same")
      ->group(kLoss);
  add_real(app, "--label-smoothing", o.train.loss.label_smoothing, RealRange::BelowOne,
           "Of logistic and softmax")
      ->group(kLoss);
  add_real(app, "--l2", o.train.regularizer.l2, RealRange::AtLeastZero,
           "Times the squares of a triple's embeddings")
      ->group(kLoss);
  add_real(app, "--n3", o.train.regularizer.n3, RealRange::AtLeastZero,
           "Times their cubes, of complex numbers by the modulus")
      ->group(kLoss);
  add_real(app, "--constraints", o.train.regularizer.constraints, RealRange::AtLeastZero,
           "transh: times its soft constraints, entities at most 1 long, relations in their planes")
      ->group(kLoss);
  add_real(app, "--entity-dropout", o.train.dropout.entities, RealRange::BelowOne,
           "Probability of a number of an entity to be left out of a step")
      ->group(kLoss);
  add_real(app, "--relation-dropout", o.train.dropout.relations, RealRange::BelowOne,
           "The same of relations; not of rotate, transh and transr")
      ->group(kLoss);
}

void add_step_emit_options(CLI::App& app, EmitOptions& o) {
  app.add_option_function<std::string>(
         "--emit", [&o](const std::string&) { o.kind = EmitKind::Ir; },
         "Print the first step as a Program (docs/program.md) instead of training")
      ->check(CLI::IsMember({"ir"}).description(""))
      ->type_name("ir");
  app.add_option_function<std::string>(
         "-o,--output",
         [&o](const std::string& path) {
           o.path = path == "-" || path == "/dev/stdout" ? "" : path;
         },
         "--emit: write to PATH, long arrays to PATH.arrays, instead of stdout")
      ->type_name("PATH");
}

/// Where a step is printed, a result of a training that is asked for; empty if there is none. How
/// long it would train, and where, is no matter: a file of options has that, too.
std::string find_idle_beside_emit(const CLI::App& app, const EmitOptions& o) {
  if (!o.kind) return app.count("-o") > 0 ? "-o needs --emit=ir" : "";
  for (const char* option : {"--checkpoint", "--resume", "--log", "--save-weights", "--json"}) {
    if (app.get_option_no_throw(option) == nullptr || app.count(option) == 0) continue;
    return std::string(option) + " says nothing beside --emit=ir, which trains nothing";
  }
  return {};
}

/// Reads --score=@FILE.
std::string read_score(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  text.resize(kg::kMostScoreBytes + 1);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (!file.eof() && file.fail()) || text.empty()) {
    return "--score: " + quote(path) + " cannot be read, or is empty";
  }
  return {};
}

/// Of --model and --score one; a formula's text then is in o.train. Empty if all is well.
std::string choose_score(const CLI::App& app, KgTrainOptions& o) {
  const bool has_score = app.count("--score") > 0;
  const std::string expected =
      "expected one of " + kg::list_score_models() + ", tucker, or a formula by --score";
  if (o.model.empty()) o.model = has_score ? "formula" : "";
  if (o.model.empty()) return "--model: found none, " + expected;
  const bool is_tucker = o.model == kTucker;
  const auto model = kg::parse_score_model(is_tucker ? "formula" : o.model);
  if (!model) {
    return "--model: found " + quote(o.model) + ", " + expected;
  }
  o.train.model = *model;
  const bool is_formula = *model == kg::ScoreModel::Formula;
  if (has_score && (!is_formula || is_tucker)) {
    return "--score says nothing to --model=" + o.model + ": leave one of both out";
  }
  if (is_formula && !is_tucker && !has_score) {
    return "--model=formula: --score has the formula, as --score=\"-norm1(h + r - t)\"";
  }
  if (!is_formula) return {};
  o.train.formula = is_tucker ? std::string(kg::tucker_text()) : o.score;
  if (is_tucker || !o.score.starts_with('@')) return {};
  return read_score(o.score.substr(1), o.train.formula);
}

/// An option that says nothing beside the others; empty if there is none.
std::string find_idle_kg_option(const CLI::App& app, const KgTrainOptions& options) {
  const kg::TripleTrainOptions& o = options.train;
  const std::string score = app.count("--score") > 0 ? "--score" : "--model=" + options.model;
  if (app.count("--p") > 0 && o.model != kg::ScoreModel::TransE) {
    return "--p says nothing to " + score + ": it is of transe";
  }
  if (app.count("--relation-dim") > 0 && o.model != kg::ScoreModel::Formula) {
    return "--relation-dim says nothing to " + score + ": it is of --score and tucker";
  }
  for (const char* option : {"--layers", "--encoder-dims", "--bases", "--heads", "--self-loops",
                             "--edge-dropout", "--mask-scored"}) {
    if (o.encoder.kind == kg::EncoderKind::None && app.count(option) > 0) {
      return std::string(option) + " says nothing without --encoder";
    }
  }
  if (o.negatives.count > 0) return {};
  for (const char* option : {"--chunk", "--draw"}) {
    if (app.count(option) > 0) {
      return std::string(option) +
             " says nothing to --negatives=" + (o.negatives.labels ? kLabels : "all") +
             ", which draws none";
    }
  }
  return {};
}

}  // namespace

void add_kg_train_options(CLI::App& app, KgTrainOptions& o) {
  app.add_option("triples", o.triples,
                 "The folder with train.txt, valid.txt and test.txt, or one file of triples")
      ->required()
      ->type_name("DIR|FILE");
  add_triple_format_options(app, o.layout);
  add_score_options(app, o);
  add_encoder_options(app, o);
  add_negative_options(app, o.train.negatives);
  add_loss_options(app, o);
  o.settings.options.optimizer.optimizer = Optimizer::Adagrad;
  o.settings.options.schedule.base = 0.1;
  o.settings.loop.log_every = 5;
  add_step_options(app, o.settings);
  app.get_option("--optimizer")
      ->description(
          "Default adagrad. Also lazy-adam and sgd, which move the rows that a step "
          "reads, and adam, which moves all")
      ->type_name("adagrad|lazy-adam|adam|sgd");
  for (const char* option :
       {"--alpha", "--centered", "--momentum", "--weight-decay", "--clip-norm", "--clip-value"}) {
    app.get_option(option)->group("");  // not in the help: check_row_optimizer() says why
  }
  add_epoch_options(app, o.settings);
  add_checkpoint_options(app, o.settings);
  o.train.batch_size = 1024;
  add_whole(app, "--batch-size", o.train.batch_size, {1, 1u << 31},
            "Triples a step, k-vs-all: queries")
      ->group(kTrainingGroup);
  add_whole(app, "--seed", o.settings.options.seed, {}, "Of all draws")->group(kTrainingGroup);
  app.add_option_function<std::string>(
         "--dtype",
         [&o](const std::string& t) { o.train.dtype = t == "f64" ? DType::F64 : DType::F32; },
         "Precision of weights and scores")
      ->check(CLI::IsMember({"f32", "f64"}).description(""))
      ->type_name("f32|f64")
      ->default_str("f32")
      ->group(kTrainingGroup);
  add_device_options(app, o.backend, o.device,
                     "Where steps and ranks run; with --encoder it and ranks");
  add_size(app, "--gpu-memory", o.train.device_bytes,
           {1, std::numeric_limits<std::uint64_t>::max()},
           "What steps may take of a GPU's memory at most (8G): tables that do not fit are in the "
           "host's, read over the bus")
      ->default_str("what is free");
  add_whole(app, "--threads", o.train.threads, {0, 4096}, "0: one a processor");
  app.add_option("--save-weights", o.save_weights, "Write the weights: safetensors")
      ->check(find_wrong_weights_name)
      ->type_name("FILE");
  add_step_emit_options(app, o.emit);
  add_config_option(app, o.config_keys);
}

std::string finish_kg_train_options(const CLI::App& app, KgTrainOptions& o) {
  if (std::string problem = choose_score(app, o); !problem.empty()) return problem;
  if (o.train.device_bytes != 0 && o.backend != "cuda") return "--gpu-memory needs --backend=cuda";
  if (o.train.device_bytes != 0 && app.count("--encoder") > 0) {
    return "--gpu-memory is of rows that are learned; with --encoder steps are the CPU's";
  }
  o.train.optimizer = o.settings.options.optimizer;
  o.train.schedule = o.settings.options.schedule;
  o.train.seed = o.settings.options.seed;
  if (app.count("--margin") == 0 && o.train.loss.loss == kg::TripleLoss::Margin) {
    o.train.loss.margin = 1;
  }
  if (o.inverse == "on" && app.count("--corrupt") == 0) {
    o.train.negatives.corruption = kg::Corruption::Tail;
  }
  if (const auto rows = kg::check_row_optimizer(o.train.optimizer); !rows) {
    const Diagnostic& problem = rows.error().list().front();
    return problem.place + " " + problem.message;
  }
  if (std::string problem = check_learning_settings(app, o.settings); !problem.empty()) {
    return problem;
  }
  if (std::string idle = find_idle_kg_option(app, o); !idle.empty()) return idle;
  if (std::string idle = find_idle_beside_emit(app, o.emit); !idle.empty()) return idle;
  if (std::string problem = choose_device(o.backend, o.device); !problem.empty()) return problem;
  kg::EncoderOptions& encoder = o.train.encoder;
  if (!encoder.widths.empty() && app.count("--layers") == 0) {
    encoder.layers = static_cast<std::uint32_t>(encoder.widths.size());
  }
  o.train.encoder_backend = o.backend;
  o.train.encoder_device = o.device;
  CommandPaths paths;
  for (const std::string& file : triple_files(o.triples)) {
    paths.add_input("the triples " + file, file);
  }
  if (const CLI::Option* config = app.get_config_ptr(); config->count() > 0) {
    const auto file = config->as<std::string>();
    paths.add_input("--config=" + file, file);
  }
  if (o.score.starts_with('@')) paths.add_input("--score=" + o.score, o.score.substr(1));
  paths.add_output("--save-weights=" + o.save_weights, o.save_weights);
  add_train_paths(paths, o.settings);
  add_emit_output(paths, o.emit);
  return paths.find_conflict();
}

std::string kg_settings_text(const KgTrainOptions& o) {
  const kg::TripleTrainOptions& t = o.train;
  std::string text = fmt::format(
      "model {}, dim {}, p {}, inverse {}, negatives {}, chunk {}, corrupt {}, draw {}, filtered "
      "{}, loss {}, margin {}, adversarial {}, label-smoothing {}, l2 {}, n3 {}, constraints {}, "
      "entity-dropout {}, relation-dropout {}, init {} {}, dtype {}, optimizer {}",
      o.model, t.dim, t.p, o.inverse,
      t.negatives.labels ? kLabels : std::to_string(t.negatives.count), t.negatives.chunk,
      text_of(t.negatives.corruption), text_of(t.negatives.draw), t.negatives.filtered,
      text_of(t.loss.loss), t.loss.margin, t.loss.adversarial, t.loss.label_smoothing,
      t.regularizer.l2, t.regularizer.n3, t.regularizer.constraints, t.dropout.entities,
      t.dropout.relations, text_of(t.initializer), t.initial_scale, text_of(t.dtype),
      text_of(t.optimizer.optimizer));
  if (!t.formula.empty()) {
    text += fmt::format(", score \"{}\", relation-dim {}", t.formula, t.relation_dim);
  }
  if (t.encoder.kind != kg::EncoderKind::None) {
    text += fmt::format(
        ", encoder {}, layers {}, encoder-dims {}, bases {}, heads {}, self-loops {}, edge-dropout "
        "{}, mask-scored {}",
        text_of(t.encoder.kind), t.encoder.layers, fmt::join(t.encoder.widths, ","),
        t.encoder.bases, t.encoder.heads, t.encoder.self_loops ? "on" : "off",
        t.encoder.edge_dropout, t.encoder.leaves_scored_out);
  }
  const OptimizerOptions complete = with_defaults(t.optimizer);
  for (const HyperparameterInfo& each : hyperparameters()) {
    if (const auto& value = complete.*each.value) text += fmt::format(", {} {}", each.name, *value);
  }
  return text + fmt::format(", rate {} {} {} {} {}, batch size {}, seed {}", t.schedule.base,
                            text_of(t.schedule.kind), t.schedule.period, t.schedule.factor,
                            t.schedule.last, t.batch_size, t.seed);
}

}  // namespace vecc::tools
