#include "src/program/row_number_errors.h"

#include <string>

#include "src/support/value_text.h"

namespace vecc {
namespace {

std::string text_of(const RowNumberPlace& place) {
  return std::string(place.backend) + ": %" + std::to_string(place.op) + " " +
         std::string(vecc::text_of(place.kind));
}

// The last of 0 .. end - 1, in words.
std::string range_text(std::string_view what, double end) {
  if (end == 0) return "none: there is no row";
  return std::string(what) + " of 0 to " + text_of_number(end - 1, false);
}

}  // namespace

Errors step_error(const RowNumberPlace& place, double number, double end) {
  return Errors(ErrorCode::RowNumber, text_of(place),
                "found the step " + text_of_number(number, false) + " (%" +
                    std::to_string(place.numbers) + "), expected " +
                    range_text("a whole number", end));
}

Errors row_number_error(const RowNumberPlace& place, std::uint32_t row, double number, double end) {
  return Errors(ErrorCode::RowNumber, text_of(place) + ", row " + std::to_string(row),
                "found the row number " + text_of_number(number, false) + " (%" +
                    std::to_string(place.numbers) + "), expected " + range_text("a row", end));
}

Errors different_rows_error(const RowNumberPlace& place, std::uint32_t stored, std::size_t element,
                            StoredElement first, StoredElement second) {
  return Errors(ErrorCode::DifferentRows, text_of(place) + ", element " + std::to_string(element),
                "found " + text_of_number(first.value, false) + " in row " +
                    std::to_string(first.row) + " and " + text_of_number(second.value, false) +
                    " in row " + std::to_string(second.row) + ", which are both stored in row " +
                    std::to_string(stored) + ", expected equal bits");
}

}  // namespace vecc
