/// Sets parameters of JACK's control interface by name. Ignores a name that this version of JACK
/// does not know.
#ifndef AUDIOSESSION_SERVER_PARAMETERS_H
#define AUDIOSESSION_SERVER_PARAMETERS_H

#include <jack/control.h>
#include <stdint.h>

void parameter_set_string(const JSList *parameters, const char *name, const char *value);
void parameter_set_bool(const JSList *parameters, const char *name, bool value);
void parameter_set_int(const JSList *parameters, const char *name, int32_t value);
void parameter_set_uint(const JSList *parameters, const char *name, uint32_t value);

#endif
