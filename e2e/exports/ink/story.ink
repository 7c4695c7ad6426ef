VAR lit = false
The lamp has gone out, and a ship is near.
* [Climb the stairs]
  ~ lit = true
  A hundred and twelve steps, two at a time.
* [Sound the horn]
  It roars over the water, once, twice.
- {lit: The lamp burns again.|They have heard you.} The ship turns away from the rocks.
-> END
