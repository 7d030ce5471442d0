#include "mix/pan_law.h"

// Returns sin(π/2 · x) for x = 0…1 by the polynomial of best approximation: within 3e-7, exact at
// both ends.
static float quarter_sine(float x) RCORE_RT {
    const float square = x * x;
    float sum = 1.5082056e-4f;
    sum = sum * square - 4.6722279e-3f;
    sum = sum * square + 7.9688481e-2f;
    sum = sum * square - 6.4596336e-1f;
    sum = sum * square + 1.5707963f;
    const float sine = sum * x < 1.0f ? sum * x : 1.0f;
    return x <= 0.0f ? 0.0f : x >= 1.0f ? 1.0f : sine;
}

static float pan_law_gain(uint8_t law, float share) RCORE_RT {
    return law == RCORE_PAN_EQUAL_POWER ? quarter_sine(share) : share;
}

void pan_law_gains(uint8_t law, bool spreads, float pan, float gains[2]) RCORE_RT {
    const float right = 0.5f * (pan + 1.0f);
    gains[0] = pan_law_gain(law, 1.0f - right);
    gains[1] = pan_law_gain(law, right);
    if (!spreads) { // balance: unchanged in the centre, and never louder
        const float middle = pan_law_gain(law, 0.5f);
        gains[0] = gains[0] < middle ? gains[0] / middle : 1.0f;
        gains[1] = gains[1] < middle ? gains[1] / middle : 1.0f;
    }
}
