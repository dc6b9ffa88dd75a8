// Databases that the tests make, each with a known signal.
#pragma once

#include <string>

namespace vecc::test {

/// Runs SQL in a new file `name` of `folder`; its path.
std::string make_database(const std::string& folder, const std::string& name,
                          const std::string& sql);

/// customers, orders (with NULLs), items, products: a customer churns iff most of their orders
/// were returned, a state that two hops and NULL dates do not hide.
std::string shop_sql(int customers);
/// drivers, races, results: `won` says whether the driver's mean earlier position was good. Times
/// of races and results; the tables hold later results, too.
std::string races_sql(int drivers, int races);
/// papers, cites (a table of two keys to papers): a paper's field is that of most papers it cites,
/// its own words say nothing.
std::string citations_sql(int papers);
/// users, events: `target` counts the events behind the user's time, and no event before it.
std::string future_sql(int users);

}  // namespace vecc::test
