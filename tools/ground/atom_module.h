// Tables of atoms as SQLite reads them: virtual ones, so that no atom is stored twice.
#pragma once

#include <sqlite3.h>

#include <vector>

#include "tools/ground/stored_atoms.h"

namespace vecc::tools::ground {

/// Adds the module `atoms` to a database: `CREATE VIRTUAL TABLE t USING atoms(2)` is tables[2],
/// with the columns id, e, c0, c1, ... Rows come in the order of ids. `tables` must outlive the
/// database. What SQLite returns.
int add_atom_module(sqlite3* database, StoredTables& tables);

}  // namespace vecc::tools::ground
