#include "errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

namespace vecc::python_package {
namespace {

// The lines of the command line, and each of their parts.
void set_error(const Errors& errors) {
  std::vector<std::tuple<int, std::string, std::string>> diagnostics;
  for (const Diagnostic& d : errors.list()) {
    diagnostics.emplace_back(static_cast<int>(d.code), d.place, d.message);
  }
  const nb::object make = nb::module_::import_("vecc.error").attr("Error");
  const nb::object error = make(errors.text(), diagnostics, static_cast<int>(errors.exit_code()));
  PyErr_SetObject(error.type().ptr(), error.ptr());  // Error makes one that is an OSError, too
}

}  // namespace

void raise_usage(const std::string& place, const std::string& message) {
  throw ErrorsRaised(Errors(ErrorCode::Usage, place, message));
}

void check_signals() {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const ErrorsRaised& raised) {
      set_error(raised.errors());
    }
  });
}

}  // namespace vecc::python_package
