# find_package(vecc): the target vecc::vecc.
include(${CMAKE_CURRENT_LIST_DIR}/veccTargets.cmake)
