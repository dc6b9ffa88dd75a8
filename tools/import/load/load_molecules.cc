#include <filesystem>

#include "src/graph_io/byte_source.h"
#include "tools/import/load/molecule_builder.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/table_rows.h"

namespace vecc::tools {
namespace {

// The tables one after another: later ones refer to earlier ones, so that an error in one would
// make many in the next.
template <class ReadRows>
Result<Molecules> build(const ReadRows& read_rows) {
  LoadErrors errors;
  MoleculeBuilder builder(errors);
  read_rows("drugs", kDrugColumns, errors, [&](const TableRow& row) { builder.add_drug(row); });
  if (!errors.empty()) return errors.errors();
  read_rows("atoms", kAtomColumns, errors, [&](const TableRow& row) { builder.add_atom(row); });
  if (!errors.empty()) return errors.errors();
  read_rows("bonds", kBondColumns, errors, [&](const TableRow& row) { builder.add_bond(row); });
  if (!errors.empty()) return errors.errors();
  return builder.finish();
}

Result<std::string> read_start(const std::string& path) {
  std::string bytes(16, '\0');
  VECC_TRY(const std::unique_ptr<graph_io::ByteSource> file, graph_io::open_file(path));
  VECC_TRY(const std::size_t size, file->read(bytes.data(), bytes.size()));
  bytes.resize(size);
  return bytes;
}

}  // namespace

bool starts_like_sqlite(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("SQLite format 3\0"sv);
}

Result<Molecules> parse_molecules(const MoleculeTexts& texts) {
  return build(
      [&](std::string_view table, ColumnNames columns, LoadErrors& errors, const RowSink& sink) {
        const Text& text = table == "drugs"   ? texts.drugs
                           : table == "atoms" ? texts.atoms
                                              : texts.bonds;
        read_csv_rows(text, columns, errors, sink);
      });
}

Result<Molecules> load_molecules(const std::string& path) {
  if (is_folder(path)) {
    constexpr std::string_view kExpected = "a header and a row a line";
    VECC_TRY(const TextFile drugs, read_text_file(join_path(path, "drugs.csv"), kExpected));
    VECC_TRY(const TextFile atoms, read_text_file(join_path(path, "atoms.csv"), kExpected));
    VECC_TRY(const TextFile bonds, read_text_file(join_path(path, "bonds.csv"), kExpected));
    return parse_molecules({drugs.text(), atoms.text(), bonds.text()});
  }
  const Result<std::string> start = read_start(path);
  if (!start) return start.error().in(escape_path(path));
  if (start->empty()) {
    return Errors(ErrorCode::FileEmpty, escape_path(path), "is empty, expected an SQLite file");
  }
  if (!starts_like_sqlite(*start)) {
    return Errors(ErrorCode::BadTable, escape_path(path),
                  "begins with " + quote(*start) +
                      ", expected an SQLite file, or a folder with drugs.csv, atoms.csv and "
                      "bonds.csv");
  }
  VECC_TRY(const SqliteFile file, SqliteFile::open(path));
  return build([&](std::string_view table, ColumnNames columns, LoadErrors& errors,
                   const RowSink& sink) { file.read_rows(table, columns, errors, sink); });
}

}  // namespace vecc::tools
