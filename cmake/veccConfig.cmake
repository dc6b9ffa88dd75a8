# find_package(vecc): the target vecc::vecc. Its headers need Boost's.
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
include(${CMAKE_CURRENT_LIST_DIR}/veccTargets.cmake)
