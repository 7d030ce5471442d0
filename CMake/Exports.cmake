# The exported functions of a library: those that its headers declare.

# declared_functions(RESULT header…): sets RESULT to the names of the functions that the headers
# declare.
function(declared_functions result)
    set(names "")
    foreach(header ${ARGN})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
        file(READ ${header} text)
        string(REGEX REPLACE "//[^\n]*" "" text "${text}")
        string(REPLACE ";" " " text "${text}")
        string(REGEX MATCHALL "[^a-z0-9_](rcore|sgate|asession)_[a-z0-9_]+\\(" found "${text}")
        list(TRANSFORM found REPLACE "[^a-z0-9_]" "")
        list(APPEND names ${found})
    endforeach()
    set(${result} ${names} PARENT_SCOPE)
endfunction()

# write_exports(PREFIX name…): writes PREFIX.map, a version script for the linker, and PREFIX.names, a
# list for objcopy.
function(write_exports prefix)
    list(JOIN ARGN "\n" names)
    list(JOIN ARGN "; " global)
    file(CONFIGURE OUTPUT ${prefix}.names CONTENT "${names}\n")
    file(CONFIGURE OUTPUT ${prefix}.map CONTENT "{ global: ${global}; local: *; };\n")
endfunction()
