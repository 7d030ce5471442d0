#include "parameters.h"

#include <stdio.h>
#include <string.h>

static void set(const JSList *parameters, const char *name, const union jackctl_parameter_value *value) {
    for (const JSList *node = parameters; node != NULL; node = node->next) {
        if (strcmp(jackctl_parameter_get_name(node->data), name) == 0) {
            jackctl_parameter_set_value(node->data, value);
        }
    }
}

void parameter_set_string(const JSList *parameters, const char *name, const char *value) {
    union jackctl_parameter_value parameter = {0};
    snprintf(parameter.str, sizeof parameter.str, "%s", value);
    set(parameters, name, &parameter);
}

void parameter_set_bool(const JSList *parameters, const char *name, bool value) {
    union jackctl_parameter_value parameter = {.b = value};
    set(parameters, name, &parameter);
}

void parameter_set_int(const JSList *parameters, const char *name, int32_t value) {
    union jackctl_parameter_value parameter = {.i = value};
    set(parameters, name, &parameter);
}

void parameter_set_uint(const JSList *parameters, const char *name, uint32_t value) {
    union jackctl_parameter_value parameter = {.ui = value};
    set(parameters, name, &parameter);
}
