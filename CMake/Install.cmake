# What apps link: librcore (render core and session gate) and librcore_jack (the JACK driver), shared and static, with headers under
# include/rcore, pkg-config files and a CMake package.
#
# Only rcore_* and sgate_* are seen from outside: the shared libraries by a version script, the static ones because all objects are
# linked into one whose other names are made local.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# From the pkg-config files to the prefix, wherever that is moved.
file(RELATIVE_PATH RCORE_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(RCORE_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/exports.map)

# installed_library(NAME target SOURCES dirs… PUBLIC libraries… PRIVATE libraries…): the two libraries NAME and NAME_static.
function(installed_library name)
    cmake_parse_arguments(PARSE_ARGV 1 library "" "ALIAS" "SOURCES;PUBLIC;PRIVATE")
    add_library(${name}_objects OBJECT)
    foreach(folder ${library_SOURCES})
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/${folder}/*.c)
        target_sources(${name}_objects PRIVATE ${sources})
        target_include_directories(${name}_objects PUBLIC ${PROJECT_SOURCE_DIR}/Sources/${folder}/include)
    endforeach()
    set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET default)
    target_link_libraries(${name}_objects PRIVATE session_warnings)

    add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
    target_link_options(${name} PRIVATE LINKER:--version-script=${RCORE_EXPORTS} LINKER:-z,defs)
    set_target_properties(${name} PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${RCORE_EXPORTS})

    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} $<TARGET_OBJECTS:${name}_objects>
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=rcore_* --keep-global-symbol=sgate_* ${object}
        DEPENDS ${name}_objects $<TARGET_OBJECTS:${name}_objects>
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${name}_static STATIC ${object})
    set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)

    foreach(kind "" _static)
        target_include_directories(${name}${kind} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        foreach(needed ${library_PUBLIC})
            target_link_libraries(${name}${kind} PUBLIC ${needed}${kind})
            target_link_libraries(${name}_objects PUBLIC ${needed}_objects_headers)
        endforeach()
        target_link_libraries(${name}${kind} PRIVATE ${library_PRIVATE})
        set_target_properties(${name}${kind} PROPERTIES EXPORT_NAME ${library_ALIAS}${kind})
        add_library(rcore::${library_ALIAS}${kind} ALIAS ${name}${kind})
    endforeach()
    add_library(${name}_objects_headers INTERFACE)
    target_include_directories(${name}_objects_headers INTERFACE
        $<TARGET_PROPERTY:${name}_objects,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(${name} INTERFACE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:${name}_objects,INTERFACE_INCLUDE_DIRECTORIES>>)
    target_include_directories(${name}_static INTERFACE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:${name}_objects,INTERFACE_INCLUDE_DIRECTORIES>>)

    install(TARGETS ${name} ${name}_static EXPORT rcore
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(folder ${library_SOURCES})
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/Sources/${folder}/include/
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rcore FILES_MATCHING PATTERN "*.h" PATTERN "session_gate_page.h" EXCLUDE)
    endforeach()
endfunction()

installed_library(rcore ALIAS rcore SOURCES CSessionGate CRenderCore PRIVATE m)
configure_file(${CMAKE_CURRENT_LIST_DIR}/rcore.pc.in rcore.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rcore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(JACK_FOUND)
    installed_library(rcore_jack ALIAS jack SOURCES CJackDriver PUBLIC rcore)
    target_link_libraries(rcore_jack_objects PRIVATE PkgConfig::JACK)
    target_link_libraries(rcore_jack PRIVATE PkgConfig::JACK)
    # By name, not by target: who uses the package needs no find_package of ours for it.
    target_link_libraries(rcore_jack_static INTERFACE ${JACK_LIBRARIES} Threads::Threads)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/rcore-jack.pc.in rcore-jack.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rcore-jack.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rcore)
install(EXPORT rcore NAMESPACE rcore:: DESTINATION ${package} FILE rcoreTargets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rcoreConfig.cmake.in rcoreConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(rcoreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rcoreConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rcoreConfigVersion.cmake
    DESTINATION ${package})
