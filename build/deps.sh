#!/usr/bin/env bash
# Installs the named Debian packages that are missing. With everything there it asks nothing and does nothing.
set -euo pipefail
missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
run=()
[ "$(id -u)" = 0 ] || run=(sudo)
echo "installing: ${missing[*]}"
"${run[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
