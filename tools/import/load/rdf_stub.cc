// What stands for RDF when vecc is built without serd.
#include "tools/import/load/parse.h"

namespace vecc::tools {

Result<TypedGraph> parse_rdf(const RdfTexts& texts) {
  return Errors(ErrorCode::NotBuiltIn, texts.triples.name,
                "is RDF, and vecc was built without it: install libserd-dev and configure with "
                "-DVECC_RDF=ON");
}

}  // namespace vecc::tools
