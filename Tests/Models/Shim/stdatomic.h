/// Replaces the compiler's <stdatomic.h>: every operation goes to the model (../model.h). It
/// declares only what the rings use. Code that begins to use more (fences, exchanges) does not
/// compile until the model supports it.
#ifndef MODEL_STDATOMIC_H
#define MODEL_STDATOMIC_H

#include <stdint.h>

typedef enum memory_order {
    memory_order_relaxed,
    memory_order_acquire,
    memory_order_release,
} memory_order;

void model_init(const volatile void *object, uint64_t value);
uint64_t model_load(const volatile void *object, memory_order order);
void model_store(const volatile void *object, uint64_t value, memory_order order);

#define atomic_init(object, value) model_init(object, value)
#define atomic_load_explicit(object, order) model_load(object, order)
#define atomic_store_explicit(object, value, order) model_store(object, value, order)

#endif
