// The script that runs first in every page, frame and worker of a game.

import { install } from './install.js'

// The launcher puts the settings of this run in place of the token. It stands here and nowhere else.
install(globalThis, __CONCH_CONFIG__)
