// Label files of RDF data sets: tables of instances and their classes.
#pragma once

#include "tools/import/load/load_errors.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/parse.h"
#include "tools/import/load/typed_graph.h"

namespace vecc::tools {

/// Sets the labels and their names (ascending) of a graph whose nodes are `nodes`. Errors:
/// FileEmpty, BadTable, DanglingReference (an instance that is no node), DuplicateId (one that has
/// a label).
void read_rdf_labels(const RdfTexts& texts, const NameTable& nodes, TypedGraph& graph,
                     LoadErrors& errors);

}  // namespace vecc::tools
