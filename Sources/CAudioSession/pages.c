/// The pages of gates and keys that the audio thread reads.
#include "gate_object.h"
#include "session_socket.h"
#include "session_state.h"

#include <stdlib.h>

bool adopt_page(asession_t *session, int gate, int keys) {
    struct page *page = calloc(1, sizeof *page);
    const bool is_mapped = page != NULL && gate != -1 && ssocket_gate_map(gate, &page->content.page) == 0;
    if (!is_mapped) {
        free(page);
        return false;
    }
    if (keys != -1) {
        // Without it, the grant lowers the session a little later.
        (void)ssocket_keys_map(keys, &page->keys);
        page->content.keys = page->keys;
    }
    page->content.number = session->page != NULL ? session->page->content.number + 1 : 1;
    page->older = session->page;
    session->page = page;
    gate_set_page(&session->gate, &page->content);
    return true;
}

void pause_gate(asession_t *session) {
    enum { FADE_MS = 5 };
    sgate_grant_t grant = {.paused = true, .ramp_ms = FADE_MS};
    if (session->page != NULL) {
        // Whatever else applies stays as it is during the fade.
        const sgate_page_t *page = session->page->content.page;
        grant.attenuation = sgate_page_grant(page).attenuation;
        sgate_page_set_volume(session->paused_memory, sgate_page_volume(page));
    }
    sgate_page_set_grant(session->paused_memory, grant);
    gate_set_page(&session->gate, &session->paused);
}

void release_pages(asession_t *session, bool all) {
    if (session->page == NULL || (!all && !gate_uses_last_page(&session->gate))) {
        return;
    }
    struct page **place = all ? &session->page : &session->page->older;
    while (*place != NULL) {
        struct page *page = *place;
        *place = page->older;
        ssocket_gate_unmap(page->content.page);
        ssocket_keys_unmap(page->keys);
        free(page);
    }
}
