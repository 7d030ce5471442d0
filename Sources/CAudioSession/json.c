/// Shorthands for json-c.
#include "session_state.h"

#include <math.h>
#include <string.h>

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

void add_member(json_object *object, const char *key, json_object *value) {
    if (object == NULL || value == NULL || json_object_object_add(object, key, value) != 0) {
        json_object_put(value);
    }
}

void set_text(json_object *object, const char *key, const char *text) {
    add_member(object, key, json_object_new_string(text));
}

void set_unsigned(json_object *object, const char *key, uint64_t value) {
    add_member(object, key, json_object_new_uint64(value));
}

void set_flag(json_object *object, const char *key, bool value) {
    add_member(object, key, json_object_new_boolean(value));
}

void set_number(json_object *object, const char *key, double value) {
    add_member(object, key, json_object_new_double(value));
}

void set_optional_text(json_object *object, const char *key, const char *text) {
    if (text != NULL) {
        set_text(object, key, text);
    }
}

/// Returns whether a value contains a number that JSON has not, such as NaN. Values are at most
/// DEEPEST_JSON deep.
static bool has_other_number(json_object *value) {
    bool found = json_object_is_type(value, json_type_double) && !isfinite(json_object_get_double(value));
    const size_t length = json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
    for (size_t i = 0; i < length && !found; i++) {
        found = has_other_number(json_object_array_get_idx(value, i));
    }
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, inner) {
            (void)key;
            found = found || has_other_number(inner);
        }
    }
    return found;
}

/// Returns what is wrong with an object that was parsed; NULL: nothing.
static const char *fault_of(json_object *object) {
    if (!json_object_is_type(object, json_type_object)) {
        return "it is not an object in JSON.";
    }
    if (has_other_number(object)) {
        return "a number in it is not finite.";
    }
    size_t length = 0;
    (void)json_object_to_json_string_length(object, WIRE_FORMAT, &length);
    return length > LONGEST_PACKET - ADDED_BYTES ? "it is too long for a packet of 65,536 bytes." : NULL;
}

json_object *parse_object(const char *text, const char **fault) {
    const size_t length = text != NULL ? strlen(text) : 0;
    *fault = "it is too long for a packet of 65,536 bytes.";
    if (length > (size_t)2 * LONGEST_PACKET) {
        return NULL;
    }
    *fault = "no memory is left.";
    json_tokener *parser = json_tokener_new_ex(DEEPEST_JSON);
    if (parser == NULL) {
        return NULL;
    }
    json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    // With the zero at the end: an object that is not complete is an error.
    json_object *object = length > 0 ? json_tokener_parse_ex(parser, text, (int)length + 1) : NULL;
    const bool is_utf8 = json_tokener_get_error(parser) != json_tokener_error_parse_utf8_string;
    json_tokener_free(parser);
    *fault = is_utf8 ? fault_of(object) : "a text in it is not UTF-8.";
    if (*fault != NULL) {
        json_object_put(object);
        object = NULL;
    }
    return object;
}

void set_shared(json_object *object, const char *key, json_object *value) {
    if (value != NULL) {
        add_member(object, key, json_object_get(value));
    }
}
