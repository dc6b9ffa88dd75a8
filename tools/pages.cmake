# Manual pages and shell completions of the programs, which the programs print themselves.

# vecc_pages(TARGET...): in build/share, and installed where man and the shells look.
function(vecc_pages)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(pages)
  foreach(tool ${ARGN})
    set(man ${share}/man/man1/${tool}.1)
    set(bash ${share}/bash-completion/completions/${tool})
    set(zsh ${share}/zsh/site-functions/_${tool})
    set(fish ${share}/fish/vendor_completions.d/${tool}.fish)
    add_custom_command(OUTPUT ${man} ${bash} ${zsh} ${fish}
      COMMAND ${tool} --print-man > ${man}
      COMMAND ${tool} --print-completion=bash > ${bash}
      COMMAND ${tool} --print-completion=zsh > ${zsh}
      COMMAND ${tool} --print-completion=fish > ${fish}
      DEPENDS ${tool} COMMENT "Pages of ${tool}" VERBATIM)
    list(APPEND pages ${man} ${bash} ${zsh} ${fish})
  endforeach()
  file(MAKE_DIRECTORY ${share}/man/man1 ${share}/bash-completion/completions
       ${share}/zsh/site-functions ${share}/fish/vendor_completions.d)
  add_custom_target(vecc_pages ALL DEPENDS ${pages})
  install(DIRECTORY ${share}/ DESTINATION share OPTIONAL)
endfunction()
