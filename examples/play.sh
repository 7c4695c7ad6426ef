#!/usr/bin/env bash
# Starts the demo server and opens the demo game. Without a display it runs under Xvfb, sails for a moment and leaves
# a screenshot. Everything it starts ends with it.
#   examples/play.sh BINDIR [SCREENSHOT]
set -euo pipefail
bin=$1
shot=${2:-$bin/skiff.png}
here=$(cd "$(dirname "$0")" && pwd)
ca=$(mktemp -d)
pids=()
cleanup() {
  local i
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do # the last started ends first: the game before its display
    kill "${pids[i]}" 2>/dev/null || true
    wait "${pids[i]}" 2>/dev/null || true
  done
  rm -rf "$ca"
}
trap cleanup EXIT

"$bin/skiff-server" -ca "$ca" -bots 6 &
pids+=($!)
for _ in $(seq 100); do
  [ -s "$ca/ca.pem" ] && (exec 3<>/dev/tcp/127.0.0.1/8443) 2>/dev/null && break
  sleep 0.1
done
[ -s "$ca/ca.pem" ] || { echo "play: the demo server did not start; are ports 8443 and 8480 free?" >&2; exit 1; }

if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  "$bin/conch" play "$here/skiff/game" --ca "$ca/ca.pem"
  exit
fi

echo "no display: playing under Xvfb for a moment"
exec 4> >(cat > "$ca/display")
Xvfb -displayfd 4 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
pids+=($!)
exec 4>&-
for _ in $(seq 100); do [ -s "$ca/display" ] && break; sleep 0.1; done
export DISPLAY=":$(head -n 1 "$ca/display")"
openbox >/dev/null 2>&1 &
pids+=($!)
"$bin/conch" play "$here/skiff/game" --ca "$ca/ca.pem" &
pids+=($!)
# xdotool fails when another window vanishes while it looks: it is asked again, for a minute at most.
find_window() {
  local id _
  for _ in $(seq 300); do
    id=$(xdotool search --onlyvisible --name '^Skiff' 2>/dev/null | head -n 1) || true
    [ -z "$id" ] || { echo "$id"; return; }
    sleep 0.2
  done
  echo "play: the game's window did not come up" >&2
  return 1
}
find_window >/dev/null
sleep 5 # the board pings its harbours
window=$(find_window)
xdotool mousemove --window "$window" 1127 225 click 1 # Join, first harbour
sleep 3
xdotool keydown w
sleep 4
import -window root "$shot"
xdotool keyup w
echo "screenshot: $shot"
