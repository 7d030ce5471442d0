/// The state of the player on the bus.
#ifndef BUS_H
#define BUS_H

#include "bus_connection.h"
#include "desktop_bus.h"

/// The interfaces of a player: those of the specification, and DesktopEntry separately, because
/// not every player has that property.
enum { ROOT, ROOT_ENTRY, PLAYER, INTERFACES };

struct desktop_bus {
    bus_connection_t connection;
    desktop_bus_callbacks_t callbacks;
    /// The registered interfaces; NULL: not registered.
    sd_bus_slot *interfaces[INTERFACES];
    /// The request for a name whose reply has not arrived.
    sd_bus_slot *request;
    desktop_bus_player_t player;
    /// The memory of the player's texts.
    char *texts;
};

/// Removes the player's interfaces and frees its texts.
void player_remove(desktop_bus_t *bus);

#endif
