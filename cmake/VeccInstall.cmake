# `cmake --install build --prefix P`: programs, one shared library with everything that include/vecc
# declares, its headers, and the CMake package whose target is vecc::vecc (docs/cpp-library.md).
if(VECC_SANITIZE OR VECC_FUZZ)
  return()  # a program that links the library would need the sanitizers, too
endif()
include(CMakePackageConfigHelpers)

set(VECC_LIBRARIES vecc_graph_io vecc_vectorize vecc_optimizer vecc_differentiate vecc_samples vecc_train
    vecc_weights vecc_plan vecc_batch vecc_bind vecc_kernel vecc_compare vecc_emit_python vecc_emit_cpp vecc_emit_cuda
    vecc_backends vecc_reference vecc_torch vecc_cpu vecc_cuda vecc_native vecc_program vecc_graph
    vecc_function vecc_target vecc_runtime vecc_calibration vecc_support vecc_proto vecc_emit_native vecc_emit_common
    vecc_passes vecc_rewrite vecc_iso vecc_cost)
add_library(libvecc SHARED cmake/prelude.cc)
# All of them, called within the library or not. They are its inside: a program that links it gets its
# headers and C++20, none of our warnings, none of the libraries that vecc is made of.
target_link_libraries(libvecc PRIVATE -Wl,--whole-archive ${VECC_LIBRARIES} -Wl,--no-whole-archive)
target_include_directories(libvecc INTERFACE $<INSTALL_INTERFACE:include>)
target_compile_features(libvecc INTERFACE cxx_std_20)
set_target_properties(libvecc PROPERTIES OUTPUT_NAME vecc EXPORT_NAME vecc UNITY_BUILD OFF
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

install(TARGETS libvecc EXPORT vecc LIBRARY DESTINATION lib)
install(TARGETS vecc vecc-learn vecc-kg vecc-ground vecc-import vecc-opt vecc-bench RUNTIME DESTINATION bin)
if(TARGET vecc_python)  # vecc.programs starts them
  install(TARGETS vecc vecc-learn vecc-kg vecc-ground vecc-import vecc-opt RUNTIME DESTINATION vecc/bin
          COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(TARGET vecc_torch_module)  # found beside the library, and in lib beside a program's bin
  install(TARGETS vecc_torch_module LIBRARY DESTINATION lib)
endif()
install(DIRECTORY include/vecc DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(EXPORT vecc NAMESPACE vecc:: FILE veccTargets.cmake DESTINATION lib/cmake/vecc)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/veccConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/veccConfig.cmake ${PROJECT_BINARY_DIR}/veccConfigVersion.cmake
        DESTINATION lib/cmake/vecc)
