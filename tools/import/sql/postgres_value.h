// Values of PostgreSQL as SQLite would hold them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/import/sql/source_database.h"

namespace vecc::tools::sql {

/// `text`: as the server writes it; has to live as long as the value. `type`: pg_type's oid.
///
///   boolean                         1, 0
///   smallint, integer, bigint, oid  integers
///   numeric                         an integer where it is written as one that 64 bits hold, else
///                                   real
///   real, double precision          real; NaN and infinity are texts, which no number is
///   timestamp with time zone        a text, in UTC, without the zone
///   character(n)                    a text without the blanks behind it
///   bytea, and what is `nested`     blobs: arrays, rows, ranges
///   all others                      texts: json, uuid, enumerations, dates, intervals, ...
[[nodiscard]] SqlValue postgres_value(std::string_view text, std::uint32_t type, bool nested);

}  // namespace vecc::tools::sql
