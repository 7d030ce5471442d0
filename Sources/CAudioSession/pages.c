/// The pages of gates and keys that the audio thread reads.
#include "gate.h"
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
    page->older = session->page;
    session->page = page;
    gate_set_page(&session->gate, &page->content);
    return true;
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
