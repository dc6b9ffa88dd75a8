// The loaders: original files of public data sets in, columns out. Places in errors are
// `FILE: line 12, column 3`; at most 20 errors of a data set are listed, the rest counted.
#pragma once

#include <string>

#include "tools/import/load/graph_set.h"
#include "tools/import/load/triple_layout.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

/// TUDataset text: DIR/NAME_A.txt, NAME_graph_indicator.txt, and where they are there
/// NAME_graph_labels.txt, NAME_node_labels.txt, NAME_edge_labels.txt, NAME_node_attributes.txt,
/// NAME_edge_attributes.txt, NAME_graph_attributes.txt (what to regress).
/// NAME is found from the one *_A.txt in DIR. Repeated edges are dropped (facts are a set) and
/// counted; the first one's label stands. A graph may have no nodes. Errors: FileUnreadable,
/// FileEmpty, BadTable (not a number, too few columns, line counts that disagree), NotFinite (an
/// attribute), DanglingReference (an edge to a node that is not there, or between two graphs).
[[nodiscard]] Result<GraphSet> load_tu(const std::string& directory);

/// What a file of one graph does not say.
struct GraphFileLayout {
  std::string labels;       ///< a file beside a list of edges: node class [split]; empty: none
  bool undirected = false;  ///< every edge goes both ways
  std::uint32_t nodes = 0;  ///< of a list of edges; 0: one more than the largest number
};
/// One graph whose nodes are the samples. FILE.npz: edges `edge_index` [2, e], or `src` and `dst`,
/// or a matrix in compressed rows (`adj_data`, `adj_indices`, `adj_indptr`, `adj_shape`); nodes'
/// `x` [n, k] (or `attr_data`, ...), `y` whole numbers (-1: none), masks or row numbers
/// `train_mask`, `val_mask`, `test_mask` (`idx_train`, ...); edges' `edge_attr`, `edge_weight`,
/// `edge_type`. Else lines `source target [weight]`, nodes from 0. Arrays of other names are
/// refused. Errors: FileUnreadable, those of read_weights(), BadTable, NotFinite,
/// DanglingReference, DuplicateId, LimitRows (numbers far above the edges' count, where the nodes'
/// is not stated), LimitNeurons, LimitEdges, Usage.
[[nodiscard]] Result<GraphSet> load_graph(const std::string& path, const GraphFileLayout& layout);

/// Triples, one a line: DIR/train.txt, valid.txt, test.txt (or .tsv, .csv, .nt, or such with .gz or
/// .zst; each optional, one at least), or one file; a file's ending says its format where the
/// layout does not. Entities and relations are numbered in the order in which train, valid, test
/// first name them. One node type "entity", or those of layout.types, a file `entity TAB type` (or
/// by its ending); an entity that it lacks is an "entity". edge_split says which file; a triple of
/// several files belongs to the first, but with layout.keeps_repeated to each. Errors:
/// FileUnreadable, FileEmpty, BadTable, DanglingReference (a type of an entity that no triple has),
/// DuplicateId (two types of one entity), LimitRows (more types than 65,535), Usage (a header or
/// columns of N-Triples); NotBuiltIn for N-Triples where vecc was built without serd.
[[nodiscard]] Result<TypedGraph> load_triples(const std::string& path,
                                              const TripleLayout& layout = {});

/// N-Triples (plain, gzip or zstd) with label files trainingSet.tsv and testSet.tsv beside it,
/// where they are there (header row; the class is the column whose name begins with `label`, the
/// instance the first other column that holds names of nodes): DIR, or the .nt / .nt.gz / .nt.zst
/// file itself. IRIs, literals and blank nodes are all nodes, of the one type "node" (an IRI by
/// itself, a literal by its full text with language or datatype, `_:b0`), numbered in order of
/// appearance; predicates are relations. Classes ascend. Errors: FileUnreadable, FileEmpty,
/// BadTable, DanglingReference (an instance that the graph lacks), DuplicateId (one with two
/// classes); NotBuiltIn where vecc was built without serd.
[[nodiscard]] Result<TypedGraph> load_rdf(const std::string& path);

/// HGB: DIR/node.dat `id TAB name TAB type [TAB feature,feature,...]`, link.dat
/// `source TAB target TAB type TAB weight`, label.dat and label.dat.test
/// `id TAB name TAB type TAB label[,label...]`, info.dat (JSON; names of node types, link types and
/// labels, if there). label.dat is Train, label.dat.test is Test. Nodes are named by their ids
/// (their names in the files repeat); types and labels are numbered as their numbers in the files
/// ascend. Link weights other than 1 are an error (BadTable): the architectures have no place for
/// them. Where only node.dat.xz is there, the error says how to unpack it. Errors: FileUnreadable,
/// FileEmpty, BadTable, NotFinite (a feature), DanglingReference, DuplicateId.
[[nodiscard]] Result<TypedGraph> load_hgb(const std::string& directory);

}  // namespace vecc::tools
