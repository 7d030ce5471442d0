/// Gaps of the input: frames that the server did not deliver.
///
/// The time of the core (`rcore_time`) counts only the frames that were processed. The position of
/// a gap is therefore the frame before which frames are missing. The driver reports gaps, and a
/// recorder of the input reads them.
#ifndef RCORE_GAP_H
#define RCORE_GAP_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Frames that are missing in the input.
typedef struct rcore_gap {
    /// The frame of `rcore_time` before which they are missing.
    uint64_t time;
    uint64_t frames;
} rcore_gap_t;

/// The number of gaps that can still be read.
#define RCORE_GAPS_KEPT 256u

/// Reports a gap that is not before the last one. [render] Cost: constant.
void rcore_report_gap(rcore_t *core, rcore_gap_t gap) RCORE_RT;
/// Reports that gaps from the frame `time` on may be reported later; UINT64_MAX, as initially: none
/// before the time of the next cycle. [render] Call it after `rcore_report_gap`. Cost: constant.
void rcore_set_gap_limit(rcore_t *core, uint64_t time) RCORE_RT;

/// Returns the frame before which all gaps have been reported; UINT64_MAX: the time of the next
/// cycle. [any] Read it before the gaps.
uint64_t rcore_gap_limit(const rcore_t *core) RCORE_RT;
/// Returns the number of gaps so far. [any]
uint64_t rcore_gap_count(const rcore_t *core) RCORE_RT;
/// Reads a gap; `number` counts from 0. [any] Returns false if there is no such gap yet, or if it
/// is no longer among the last RCORE_GAPS_KEPT - 1.
bool rcore_read_gap(const rcore_t *core, uint64_t number, rcore_gap_t *gap) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
