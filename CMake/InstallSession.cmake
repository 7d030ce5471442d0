# libaudiosession: audio sessions for programs that have their own engine. Shared and static, with
# headers in include/audiosession, a pkg-config file and a CMake package.
#
# It contains what it needs of the session socket, the session gate and the render core (the gains of a
# gate, the detection of keys), and exports only the functions of its headers. It needs json-c.
file(GLOB session_headers CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/Sources/CAudioSession/include/audiosession/*.h)
set(SESSION_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/session-include)
foreach(header ${session_headers})
    cmake_path(GET header FILENAME file)
    configure_file(${header} ${SESSION_INCLUDE}/audiosession/${file} COPYONLY)
endforeach()
install(FILES ${session_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/audiosession)
declared_functions(session_names ${session_headers})
write_exports(${CMAKE_CURRENT_BINARY_DIR}/audiosession ${session_names})

file(GLOB session_sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/Sources/CAudioSession/*.c
    ${PROJECT_SOURCE_DIR}/Sources/CSessionSocket/*.c
    ${PROJECT_SOURCE_DIR}/Sources/CSessionGate/*.c
    ${PROJECT_SOURCE_DIR}/Sources/CRenderCore/session/gate_gains.c
    ${PROJECT_SOURCE_DIR}/Sources/CRenderCore/session/key_detection.c)
add_library(audiosession_objects OBJECT ${session_sources})
target_include_directories(audiosession_objects PRIVATE
    ${PROJECT_SOURCE_DIR}/Sources/CAudioSession ${PROJECT_SOURCE_DIR}/Sources/CAudioSession/include
    ${PROJECT_SOURCE_DIR}/Sources/CSessionSocket/include ${PROJECT_SOURCE_DIR}/Sources/CSessionGate/include
    ${PROJECT_SOURCE_DIR}/Sources/CRenderCore ${PROJECT_SOURCE_DIR}/Sources/CRenderCore/include)
target_compile_options(audiosession_objects PRIVATE -fno-semantic-interposition)
set_target_properties(audiosession_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET default)
target_link_libraries(audiosession_objects PRIVATE session_warnings session_code_generation PkgConfig::JSONC)

shared_library(audiosession)
static_library(audiosession)
target_link_libraries(audiosession PRIVATE PkgConfig::JSONC m)
# By name, so that users of the package need no find module for it.
target_link_libraries(audiosession_static INTERFACE ${JSONC_LIBRARIES} m)
foreach(kind "" _static)
    target_include_directories(audiosession${kind} INTERFACE
        $<BUILD_INTERFACE:${SESSION_INCLUDE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    add_library(audiosession::audiosession${kind} ALIAS audiosession${kind})
endforeach()
install(TARGETS audiosession audiosession_static EXPORT audiosession
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
pkg_config_file(audiosession)

set(session_package ${CMAKE_INSTALL_LIBDIR}/cmake/audiosession)
install(EXPORT audiosession NAMESPACE audiosession:: DESTINATION ${session_package} FILE audiosessionConfig.cmake)
write_basic_package_version_file(audiosessionConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/audiosessionConfigVersion.cmake DESTINATION ${session_package})
