#!/usr/bin/env bash
# Runs a command with everything usher's tests need: scripts/testenv.sh COMMAND [ARGUMENT...]
#
# On Debian as root it installs what is missing; elsewhere it says what is missing and goes on. Then it starts one PostgreSQL
# in a temporary folder on a free loopback port, exports its URL as TEST_DATABASE_URL, and ends it after the command. A
# TEST_DATABASE_URL that is set already is used as it is. Tests that need Redis, or a server they may break, start their own.
#
# USHER_TEST_REQUIRE_SERVERS=1 is exported when nothing is missing, and always in CI: tests then fail where they would skip.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder='' postgres_pid='' made_policy=''

say() { printf 'testenv: %s\n' "$*" >&2; }

# postgres_bin prints the folder with PostgreSQL's programs. Debian keeps them out of PATH, a folder per version.
postgres_bin() {
  local candidates=() candidate newest
  if candidate=$(command -v postgres); then candidates+=("$(dirname "$candidate")"); fi
  newest=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV)
  while read -r candidate; do candidates+=("$candidate"); done <<<"$newest"
  candidates+=(/usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin)
  for candidate in "${candidates[@]}"; do
    if [ -x "$candidate/postgres" ] && [ -x "$candidate/initdb" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

has_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then return 0; fi
  done
  [ -x '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome' ] || [ -x /Applications/Chromium.app/Contents/MacOS/Chromium ]
}

has_cjk_font() { [ "$(uname)" = Darwin ] || [ -n "$(find /usr/share/fonts -iname '*cjk*' -print -quit 2>/dev/null)" ]; }

# missing prints the Debian package of each thing that is not there.
missing() {
  command -v redis-server >/dev/null || echo redis-server
  postgres_bin >/dev/null || echo postgresql
  has_chromium || echo chromium
  has_cjk_font || echo fonts-noto-cjk
  command -v node >/dev/null || echo nodejs
  command -v npm >/dev/null || echo npm
  # The race detector needs a C compiler and its headers.
  if ! command -v gcc >/dev/null && ! command -v clang >/dev/null; then echo gcc libc6-dev; fi
}

# hold_services keeps freshly installed servers from starting by themselves: tests start their own.
hold_services() {
  local policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then return 0; fi
  made_policy=$policy
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
}

release_services() {
  if [ -n "$made_policy" ]; then rm -f "$made_policy"; fi
  made_policy=''
}

# install brings what is missing where that is ours to do, and fails when something stays missing.
install() {
  local packages
  packages=$(missing | tr "\n" " ")
  if [ -n "$packages" ] && [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ]; then
    say "installing $packages"
    hold_services
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of names
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages; } >&2 || say "apt-get failed"
    release_services
    packages=$(missing | tr "\n" " ")
  fi
  if [ -z "$packages" ]; then return 0; fi
  say "not installed, by the names of Debian's packages: $packages"
  return 1
}

# install_node brings the browser test's packages, when there is such a test and its lock file changed.
install_node() {
  local e2e=$root/test/e2e
  if [ ! -e "$e2e/package-lock.json" ]; then return 0; fi
  if ! command -v npm >/dev/null; then
    say 'npm is not installed, so the browser test has no packages'
    return 1
  fi
  if [ "$e2e/node_modules/.package-lock.json" -nt "$e2e/package-lock.json" ]; then return 0; fi
  say 'npm ci in test/e2e'
  (cd "$e2e" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error) >&2
}

port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port takes ports below the range of outgoing connections, so that no client ends up on a port that a server will want.
free_port() {
  local port
  for _ in $(seq 200); do
    port=$((20000 + RANDOM % 12000))
    if port_is_free "$port"; then
      printf '%s\n' "$port"
      return 0
    fi
  done
  return 1
}

# as_postgres sets the array of words that run a command as a user who may run PostgreSQL, which refuses root. The server
# also gets the order to end when this script dies without a chance to say so.
as_postgres() {
  runner=()
  if [ "$(id -u)" != 0 ]; then return 0; fi
  local name=nobody
  if id postgres >/dev/null 2>&1; then name=postgres; fi
  chown "$name" "$folder"
  runner=(setpriv --reuid="$(id -u "$name")" --regid="$(id -g "$name")" --clear-groups --pdeathsig QUIT)
}

# start_postgres sets TEST_DATABASE_URL. It fails when PostgreSQL is not there or does not start.
start_postgres() {
  local bin port runner locale=C.UTF-8
  bin=$(postgres_bin) || return 1
  if [ "$(uname)" = Darwin ]; then locale=C; fi
  folder=$(mktemp -d "${TMPDIR:-/tmp}/usher-testenv.XXXXXX")
  as_postgres
  cd "$folder"
  ${runner[@]+"${runner[@]}"} "$bin/initdb" -D "$folder/data" -U usher -A trust -E UTF8 --locale="$locale" --no-sync >"$folder/log" 2>&1 || return 1
  for _ in 1 2 3; do
    port=$(free_port) || return 1
    ${runner[@]+"${runner[@]}"} "$bin/postgres" -D "$folder/data" -p "$port" \
      -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 \
      -c fsync=on -c synchronous_commit=on -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \
      -c shared_buffers=128MB -c dynamic_shared_memory_type=mmap -c jit=off -c timezone=UTC >>"$folder/log" 2>&1 </dev/null &
    postgres_pid=$!
    if await_postgres; then
      export TEST_DATABASE_URL="postgres://usher@127.0.0.1:$port/postgres?sslmode=disable"
      return 0
    fi
    stop_postgres
  done
  return 1
}

# await_postgres reads line eight of the lock file, where the server keeps its state: the client programs may be missing.
await_postgres() {
  for _ in $(seq 300); do
    kill -0 "$postgres_pid" 2>/dev/null || return 1
    case $(sed -n 8p "$folder/data/postmaster.pid" 2>/dev/null) in ready*) return 0 ;; esac
    sleep 0.1
  done
  return 1
}

stop_postgres() {
  if [ -z "$postgres_pid" ]; then return 0; fi
  kill -QUIT "$postgres_pid" 2>/dev/null || true
  wait "$postgres_pid" 2>/dev/null || true
  postgres_pid=''
}

# clean_up takes back all that this script made, however it ends.
clean_up() {
  release_services
  stop_postgres
  if [ -n "$folder" ]; then rm -rf "$folder"; fi
}

main() {
  if [ "$#" -eq 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
  fi
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  local complete=yes
  install || complete=no
  install_node || complete=no
  if [ -z "${TEST_DATABASE_URL:-}" ] && ! start_postgres; then
    complete=no
    say 'there is no PostgreSQL for the tests'
    if [ -n "$folder" ] && [ -e "$folder/log" ]; then tail -n 20 "$folder/log" >&2; fi
  fi
  if [ "$complete" = yes ] || [ "${CI:-}" = true ]; then export USHER_TEST_REQUIRE_SERVERS=1; fi
  cd "$root"
  "$@"
}

main "$@"
