#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>

// Macros of FFmpeg that Swift does not import.
static const int cffmpeg_error_end = AVERROR_EOF;
static const int cffmpeg_error_again = AVERROR(EAGAIN);
static const int cffmpeg_error_invalid_data = AVERROR_INVALIDDATA;
static const int cffmpeg_error_io = AVERROR(EIO);
static const int cffmpeg_error_not_permitted = AVERROR(EPERM);
static const int64_t cffmpeg_no_timestamp = AV_NOPTS_VALUE;
