/// Shorthands for json-c.
#include "session_state.h"

json_object *member(json_object *object, const char *key) {
    json_object *value = NULL;
    return json_object_is_type(object, json_type_object) && json_object_object_get_ex(object, key, &value) ? value
                                                                                                           : NULL;
}

uint64_t unsigned_member(json_object *object, const char *key) {
    json_object *value = member(object, key);
    return json_object_is_type(value, json_type_int) ? json_object_get_uint64(value) : 0;
}

double number_member(json_object *object, const char *key) {
    json_object *value = member(object, key);
    const bool is_number = json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
    return is_number ? json_object_get_double(value) : 0;
}

bool flag_member(json_object *object, const char *key) {
    json_object *value = member(object, key);
    return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

const char *text_member(json_object *object, const char *key) {
    json_object *value = member(object, key);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

void set_text(json_object *object, const char *key, const char *text) {
    json_object_object_add(object, key, json_object_new_string(text));
}

void set_unsigned(json_object *object, const char *key, uint64_t value) {
    json_object_object_add(object, key, json_object_new_uint64(value));
}

void set_flag(json_object *object, const char *key, bool value) {
    json_object_object_add(object, key, json_object_new_boolean(value));
}

void set_shared(json_object *object, const char *key, json_object *value) {
    if (value != NULL) {
        json_object_object_add(object, key, json_object_get(value));
    }
}
