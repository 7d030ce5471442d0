# Adds one program per test file.
add_library(session_expect INTERFACE)
target_include_directories(session_expect INTERFACE ${CMAKE_CURRENT_LIST_DIR})

# How a script runs a program of this build: the emulator, if any, before its file, separated by |.
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "|" session_emulator)
if(session_emulator)
    string(APPEND session_emulator "|")
endif()

function(session_test name file library)
    add_executable(${name} ${file} ${ARGN})
    # Tests may call blocking functions anywhere; function effects bind only the libraries.
    target_link_libraries(${name} PRIVATE session_warnings session_expect ${library} Threads::Threads m)
    add_test(NAME ${name} COMMAND ${name})
    if(session_emulator)
        set_tests_properties(${name} PROPERTIES ENVIRONMENT_MODIFICATION EXPECT_EMULATED=set:1)
    endif()
endfunction()

# Compiles every public header of a library alone, as C11 and as C++17.
function(session_headers_compile_alone library)
    set(folder ${CMAKE_SOURCE_DIR}/Sources/${library}/include)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.h)
    foreach(name ${headers})
        foreach(language c cpp)
            if(language STREQUAL "cpp" AND name STREQUAL "session_gate_page.h")
                continue() # C only: it holds C atomics
            endif()
            set(file ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.${language})
            file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${name}\"\n#include \"${name}\"\n")
            list(APPEND ${language}_files ${file})
        endforeach()
    endforeach()
    add_library(${library}_headers OBJECT ${c_files} ${cpp_files})
    target_link_libraries(${library}_headers PRIVATE ${library} session_warnings)
    target_compile_options(${library}_headers PRIVATE -pedantic)
    set_target_properties(${library}_headers PROPERTIES C_STANDARD 11 CXX_STANDARD 17 CXX_EXTENSIONS OFF)
endfunction()
