/// libpipewire and what it declares inline. Compilers report no warnings about system headers, and
/// PipeWire's are not free of those that this package enables.
#ifndef HAND_PIPEWIRE_HEADERS_H
#define HAND_PIPEWIRE_HEADERS_H
#pragma GCC system_header

#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/node/command.h>
#include <spa/param/audio/raw.h>
#include <spa/param/format-utils.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/utils/dict.h>
#include <spa/utils/list.h>

#endif
