# together.cmake: compiles several files of a folder at a time, because headers are most of the compiler's work: a
# fresh build takes less than half the time. -DPINFOLD_TOGETHER=OFF compiles each alone: quicker after small changes.
# Invariant: only files of the same folder share a compilation.
option(PINFOLD_TOGETHER "compile the files of a folder together" ON)

# These have a private name that another file of their folder has, too. A better name avoids the line here.
set(PINFOLD_ALONE
  backend/linux/notify/syscall_request.cc backend/linux/protect/git_clean.cc backend/linux/protect/git_disarm.cc backend/linux/protect/git_walk.cc backend/linux/protect/guard.cc
  backend/linux/init/prefork.cc backend/linux/notify/caller_path.cc
  base/domain.cc base/domain_decide.cc base/edit_distance.cc
  cli/completions_fish.cc cli/grants.cc cli/plugin_tools.cc cli/why_host.cc
  control/values.cc
  files/read_file.cc files/traverse.cc
  learn/wide_view.cc learn/wide_view_test.cc
  net/host_text.cc net/http_host_test.cc net/relay_test.cc
  plugin/import.cc plugin/manifest_permissions.cc plugin/review_ui.cc
  policy/narrowing_test.cc policy/network_narrowing.cc policy/presets_test.cc policy/print_test.cc policy/scope_build.cc policy/scope_build_test.cc
  report/json.cc report/render.cc
  safety/advice/path_kind.cc safety/advice/powershell_reader.cc safety/advice/rules_files.cc safety/advice/rules_found.cc safety/advice/rules_network.cc safety/advice/rules_projects.cc safety/advice/rules_system.cc safety/advice/rules_windows.cc
  safety/redaction/contacts.cc safety/redaction/phrases.cc safety/redaction/values.cc safety/redaction/word_shape.cc
  session/journal_entry_read.cc)

#   pinfold_together(TARGET AT_MOST SOURCE...)
function(pinfold_together target at_most)
  if(NOT PINFOLD_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    file(RELATIVE_PATH name ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src ${source})
    if(name IN_LIST PINFOLD_ALONE)
      continue()
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR taken_${folder} "0${taken_${folder}} + 1")
    math(EXPR group "(${taken_${folder}} - 1) / ${at_most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
