# The libraries that apps link: librcore (render core and session gate) and librcore_jack (the JACK
# driver), shared and static, with headers in include/rcore, pkg-config files and a CMake package.
#
# The libraries export only the functions that the headers declare. The shared libraries use a version
# script. For the static libraries, all objects are linked into one object, and objcopy makes the other
# names in it local.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/Exports.cmake)

# The relative path from the pkg-config files to the prefix, so that the installation can be moved.
file(RELATIVE_PATH RCORE_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
# Before 1.0, each minor version has its own binary interface, as in rcoreConfigVersion.cmake.
set(RCORE_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# The headers as they will be installed, for projects that include this one with add_subdirectory.
set(RCORE_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/include)
# Binds all names when the app is loaded, instead of at the first call on the audio thread. rcore.pc.in
# contains the same option.
set(RCORE_BIND_NOW LINKER:-z,now)

# installed_objects(NAME folder…): adds NAME_objects, the objects of all sources in the folders,
# installs their public headers, and writes NAME.map and NAME.names.
function(installed_objects name)
    add_library(${name}_objects OBJECT)
    foreach(folder ${ARGN})
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/${folder}/*.c)
        file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Sources/${folder}/include/*.h)
        # This header defines the layout of an opaque type.
        list(FILTER headers EXCLUDE REGEX "session_gate_page.h$")
        target_sources(${name}_objects PRIVATE ${sources})
        target_include_directories(${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/Sources/${folder})
        list(APPEND public ${headers})
    endforeach()
    foreach(folder CSessionGate CRenderCore CJackDriver)
        target_include_directories(${name}_objects PRIVATE ${PROJECT_SOURCE_DIR}/Sources/${folder}/include)
    endforeach()
    foreach(header ${public})
        cmake_path(GET header FILENAME file)
        configure_file(${header} ${RCORE_INCLUDE}/rcore/${file} COPYONLY)
    endforeach()
    install(FILES ${public} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rcore)
    declared_functions(names ${public})
    write_exports(${CMAKE_CURRENT_BINARY_DIR}/${name} ${names})

    # The functions cannot be interposed, so the compiler may inline them and calls them directly.
    target_compile_options(${name}_objects PRIVATE -fno-semantic-interposition)
    set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET default)
    target_link_libraries(${name}_objects PRIVATE session_warnings session_code_generation)
endfunction()

# shared_library(NAME): adds the shared library NAME, which exports the names in NAME.map.
function(shared_library name)
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
    target_link_options(${name} PRIVATE
        LINKER:--version-script=${map} LINKER:-Bsymbolic-functions LINKER:-z,defs ${RCORE_BIND_NOW})
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${RCORE_SOVERSION} LINK_DEPENDS ${map})
endfunction()

# static_library(NAME): adds NAME_static, a static library of one object, which exports the names in
# NAME.names.
function(static_library name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    set(names ${CMAKE_CURRENT_BINARY_DIR}/${name}.names)
    # Clang links for another processor only if it is named.
    if(CMAKE_C_COMPILER_TARGET)
        set(target ${CMAKE_C_COMPILE_OPTIONS_TARGET}${CMAKE_C_COMPILER_TARGET})
    endif()
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER} ${target} -r -nostdlib -o ${object} $<TARGET_OBJECTS:${name}_objects>
        COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${names} ${object}
        DEPENDS ${name}_objects $<TARGET_OBJECTS:${name}_objects> ${names}
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${name}_static STATIC ${object})
    target_link_options(${name}_static INTERFACE ${RCORE_BIND_NOW})
    set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
endfunction()

# installed_library(NAME ALIAS folder…): adds and installs rcore::ALIAS and rcore::ALIAS_static.
function(installed_library name alias)
    installed_objects(${name} ${ARGN})
    shared_library(${name})
    static_library(${name})
    foreach(kind "" _static)
        target_include_directories(${name}${kind} INTERFACE
            $<BUILD_INTERFACE:${RCORE_INCLUDE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        set_target_properties(${name}${kind} PROPERTIES EXPORT_NAME ${alias}${kind})
        add_library(rcore::${alias}${kind} ALIAS ${name}${kind})
    endforeach()
    install(TARGETS ${name} ${name}_static EXPORT rcore
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# pkg_config_file(NAME): configures and installs NAME.pc.
function(pkg_config_file name)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

installed_library(rcore rcore CSessionGate CRenderCore)
target_link_libraries(rcore PRIVATE m)
target_link_libraries(rcore_static PRIVATE m)
pkg_config_file(rcore)

if(JACK_FOUND)
    installed_library(rcore_jack jack CJackDriver)
    target_link_libraries(rcore_jack_objects PRIVATE PkgConfig::JACK)
    target_link_libraries(rcore_jack PUBLIC rcore PRIVATE PkgConfig::JACK m)
    # Finds librcore in the same folder, even if the installation is moved.
    # Also in the build folder, whose path would otherwise be in the build id.
    set_target_properties(rcore_jack PROPERTIES INSTALL_RPATH $ORIGIN BUILD_WITH_INSTALL_RPATH ON)
    # Links JACK by name instead of by target, so that users of the package do not need a find
    # module for it.
    target_link_libraries(rcore_jack_static PUBLIC rcore_static INTERFACE ${JACK_LIBRARIES} Threads::Threads)
    pkg_config_file(rcore-jack)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rcore)
install(EXPORT rcore NAMESPACE rcore:: DESTINATION ${package} FILE rcoreTargets.cmake)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rcoreConfig.cmake.in rcoreConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(rcoreConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rcoreConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rcoreConfigVersion.cmake
    DESTINATION ${package})
