/* What an app in C or C++ sees of the installed JACK driver: where no server runs, it says so. */
#include <rcore/rcore_jack.h>

#include <stdio.h>

int main(void) {
    rcore_jack_status_t status = RCORE_JACK_OK;
    rcore_jack_news_t *news = rcore_jack_news_create();
    rcore_jack_t *jack = rcore_jack_open("t-none", "refusal", news, &status);
    const bool refused = jack == NULL && status == RCORE_JACK_NO_SERVER;
    printf("%s\n", rcore_jack_status_text(status));
    rcore_jack_close(jack);
    rcore_jack_news_destroy(news);
    return refused ? 0 : 1;
}
