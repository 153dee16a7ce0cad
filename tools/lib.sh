# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder: finds the server and its OS user, and installs missing packages.
#
# As root, missing Debian packages are installed and servers run as the `postgres` user. Any other user
# gets a private prefix (.prefix): a copy of the machine's PostgreSQL, or Debian's packages unpacked there,
# so nothing of the system is touched. PG_CONFIG names another server, PGPERF_MAJOR the major to look
# for; PGPERF_PREFIX another prefix (which root then uses too).
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
PREFIX=${PGPERF_PREFIX:-$ROOT/.prefix}
# Where tools/in-debian keeps its trees.
TREES=${PGPERF_TREES:-${XDG_CACHE_HOME:-$HOME/.cache}/pgperf/trees}
ALL_MAJORS=(15 16 17 18 19)
SUPPORTED_MAJORS=("${ALL_MAJORS[@]}")
# Debian's suites that have them; 19 is in experimental, which is an addition to sid.
declare -A SUITES=([15]=bookworm [17]=trixie [18]=sid [19]=sid)
if [ -n "${PGPERF_MAJOR:-}" ]; then SUPPORTED_MAJORS=("$PGPERF_MAJOR"); fi

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
# The extension's version.
package_version() { sed -n '/^\[package\]/,/^version/s/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml"; }
is_root() { [ "$(id -u)" = 0 ]; }
uses_prefix() { ! is_root || [ -n "${PGPERF_PREFIX:-}" ]; }

# Runs a command as the OS user that runs servers: PostgreSQL refuses to run as root. A backtrace in a
# server's environment would make every caught error capture one.
as_server() {
    if is_root; then
        (cd / && env -u RUST_BACKTRACE runuser -u postgres -- "$@")
    else
        env -u RUST_BACKTRACE "$@"
    fi
}

# A new temporary folder that belongs to the servers' user. The name is short because a socket lives in
# it, and a socket's path has at most 107 bytes.
server_tempdir() {
    local dir base=${TMPDIR:-/tmp}
    [ "${#base}" -le 60 ] || base=/tmp
    dir=$(mktemp -d "$base/pgperf-$1.XXXXXX")
    if is_root; then chown postgres: "$dir"; fi
    echo "$dir"
}

# Makes a cluster in data/ of a folder, by the programs in another one, with settings from standard input: make_cluster PROGRAMS FOLDER PORT.
# It is reachable only through a socket in its folder, which nobody else may enter: trust must not mean everyone.
make_cluster() {
    local programs=$1 dir=$2 port=$3
    mkdir -p -m 700 "$dir"
    if is_root; then chown postgres: "$dir"; fi
    # Whole or not at all.
    rm -rf "$dir/new"
    as_server "$programs/initdb" -D "$dir/new" -U postgres -A trust --no-locale -E UTF8 >/dev/null
    {
        printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$dir'" "port = $port"
        cat
    } | as_server tee -a "$dir/new/postgresql.conf" >/dev/null
    mv "$dir/new" "$dir/data"
}

# Starts it, and stops it in a mode of pg_ctl if it runs: start_cluster PROGRAMS FOLDER, stop_cluster PROGRAMS FOLDER MODE.
start_cluster() { as_server "$1/pg_ctl" start -D "$2/data" -l "$2/log" -w -s; }
stop_cluster() {
    [ ! -e "$2/data/postmaster.pid" ] || as_server "$1/pg_ctl" stop -D "$2/data" -m "$3" -s
}

# The names of the sources, or of those in some folders: what git does not ignore; where there is no git, all but what building leaves.
source_files() {
    if command -v git >/dev/null && [ -e "$ROOT/.git" ]; then
        git -C "$ROOT" ls-files -z --cached --others --exclude-standard -- "$@"
    else
        (cd "$ROOT" && find "${@:-.}" '(' -path ./.git -o -path ./target -o -path ./dist -o -path ./.prefix -o -path './debian/postgresql-*' -o \
            -path ./debian/build ')' -prune -o -type f -print0)
    fi
}

# Copies the sources, or some folders of them, each file as old as it is.
copy_sources() {
    local target=$1
    mkdir -p "$target"
    source_files "${@:2}" | (cd "$ROOT" && tar --null -T - -cf -) | tar -xf - -C "$target"
}

# The caller's own connection settings must not reach a throw-away server.
forget_connection_settings() {
    unset PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGPASSWORD PGPASSFILE PGSERVICE PGOPTIONS \
        PGAPPNAME PGSSLMODE PGCLIENTENCODING PGDATESTYLE PGTZ
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# apt-get for a user who may not touch the system's package lists.
private_apt() {
    mkdir -p "$PREFIX/apt/lists/partial" "$PREFIX/apt/cache/archives/partial"
    apt-get -qq -o Dir::State::Lists="$PREFIX/apt/lists" -o Dir::Cache="$PREFIX/apt/cache" \
        -o Debug::NoLocking=true "$@"
}

refresh_package_lists() {
    [ -z "${package_lists_fresh:-}" ] || return 0
    package_lists_fresh=yes
    say "Refreshing the package lists"
    if uses_prefix; then
        private_apt update >/dev/null 2>&1
    else
        apt-get -qq update >/dev/null
    fi || say "Not every package list could be refreshed"
}

package_known() {
    if uses_prefix; then
        apt-cache -o Dir::State::Lists="$PREFIX/apt/lists" -o Dir::Cache="$PREFIX/apt/cache" show "$1"
    else
        apt-cache show "$1"
    fi >/dev/null 2>&1
}

# The oldest supported major on the machine, or the oldest that Debian offers.
pick_major() {
    local n
    for n in "${SUPPORTED_MAJORS[@]}"; do
        if [ -x "$PREFIX/usr/lib/postgresql/$n/bin/postgres" ] && uses_prefix; then major=$n; return; fi
    done
    for n in "${SUPPORTED_MAJORS[@]}"; do
        if [ -x "/usr/lib/postgresql/$n/bin/postgres" ]; then major=$n; return; fi
    done
    command -v apt-get >/dev/null || die "no PostgreSQL found; name one with PG_CONFIG=/path/to/pg_config"
    refresh_package_lists
    for n in "${SUPPORTED_MAJORS[@]}"; do
        if package_known "postgresql-$n"; then major=$n; return; fi
    done
    die "no PostgreSQL ${SUPPORTED_MAJORS[*]} among the machine's packages"
}

missing_packages() {
    local package
    for package in "$@"; do
        installed "$package" || echo "$package"
    done
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "missing: ${missing[*]} (installed automatically only on Debian)"
    refresh_package_lists
    say "Installing Debian packages: ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
        install --no-install-recommends "${missing[@]}" </dev/null >&2
}

# Unpacks the missing ones of some packages, with all their dependencies, below a folder.
unpack_packages() {
    local target=$1 missing needed
    mapfile -t missing < <(missing_packages "${@:2}")
    [ "${#missing[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "missing: ${missing[*]} (fetched automatically only on Debian)"
    refresh_package_lists
    # The C library stays the system's: another one with the running loader would break every program.
    mapfile -t needed < <(private_apt -s install --no-install-recommends "${missing[@]}" |
        awk '/^Inst / && $2 != "libc6" {print $2}')
    [ "${#needed[@]}" -gt 0 ] || die "no such packages available: ${missing[*]}"
    say "Unpacking ${#needed[@]} Debian packages in $target (the system is not touched; a minute or two)"
    (
        rm -rf "$PREFIX/apt/debs" && mkdir -p "$PREFIX/apt/debs" && cd "$PREFIX/apt/debs" &&
            private_apt download "${needed[@]}" || exit
        for deb in *.deb; do dpkg -x "$deb" "$target" || exit; done
    ) || die "cannot unpack these packages: ${missing[*]}"
    rm -rf "$PREFIX/apt"
    package_lists_fresh=
}

# Fills the private prefix: the installed parts of the server are copied, the rest is downloaded and
# unpacked with all dependencies. pg_config, initdb and postgres find their files relative to their own
# path, so the copy works in its place.
fill_prefix() {
    local stamp="$PREFIX/packages" tree
    [ "$(cat "$stamp" 2>/dev/null)" != "$*" ] || return 0
    [ ! -e "$PREFIX/usr" ] || [ -e "$PREFIX/pgperf" ] || die "$PREFIX exists, but is not a prefix of pgperf"
    mkdir -p "$PREFIX"
    touch "$PREFIX/pgperf"
    rm -rf "${PREFIX:?}/usr" "$stamp"
    mkdir -p "$PREFIX/usr"
    if [ -x "/usr/lib/postgresql/$major/bin/postgres" ]; then
        say "Copying the machine's PostgreSQL $major to $PREFIX"
        for tree in "lib/postgresql/$major" "share/postgresql/$major" include/postgresql; do
            [ -d "/usr/$tree" ] || continue
            mkdir -p "$PREFIX/usr/$tree"
            cp -a "/usr/$tree/." "$PREFIX/usr/$tree"
        done
        rm -f "$PREFIX/usr/share/postgresql/$major/extension"/pgperf[-.]* \
            "$PREFIX/usr/lib/postgresql/$major/lib"/pgperf[-.]*
    fi
    unpack_packages "$PREFIX" "$@"
    echo "$*" >"$stamp"
}

# Programs in the prefix must find their libraries there, except the system's own.
use_prefix() {
    local dir libraries=()
    for dir in "$PREFIX"/usr/lib/*-linux-gnu* "$PREFIX"/lib/*-linux-gnu*; do
        [ ! -d "$dir" ] || libraries+=("$dir")
    done
    if [ "${#libraries[@]}" -gt 0 ]; then
        LD_LIBRARY_PATH=$(IFS=:; echo "${libraries[*]}")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
    for dir in "$PREFIX"/usr/lib/llvm-*/lib; do
        # The loader must see libclang's own folder: its compiler headers are found relative to it.
        if [ -e "$dir/libclang.so" ]; then export LIBCLANG_PATH=${LIBCLANG_PATH:-$dir}; fi
    done
}

# Sets CHROMIUM: the browser in which the tests of pages open them.
prepare_browser() {
    local own=$PREFIX/browser dir libraries=()
    if [ -n "${CHROMIUM:-}" ]; then export CHROMIUM; return; fi
    if ! command -v chromium >/dev/null && ! uses_prefix; then install_packages chromium; fi
    if ! CHROMIUM=$(command -v chromium); then
        CHROMIUM=$own/usr/lib/chromium/chromium
        if [ ! -e "$own/unpacked" ]; then
            rm -rf "$own" && mkdir -p "$own"
            unpack_packages "$own" chromium fonts-dejavu-core
            touch "$own/unpacked"
        fi
        for dir in "$own"/usr/lib/*-linux-gnu{,/pulseaudio} "$own"/lib/*-linux-gnu; do
            [ ! -d "$dir" ] || libraries+=("$dir")
        done
        CHROMIUM_LIBRARIES=$(IFS=:; echo "${libraries[*]}")
        export CHROMIUM_LIBRARIES
    fi
    export CHROMIUM
}

# Sets PG_CONFIG, major, bindir and everything that cargo needs, after installing missing packages.
prepare_server() {
    local packages=(libclang-dev libpq-dev)
    if ! uses_prefix; then packages+=(gcc binutils libc6-dev make); fi
    if [ -n "${PG_CONFIG:-}" ]; then
        PG_CONFIG=$(command -v "$PG_CONFIG") || die "no such program: PG_CONFIG=$PG_CONFIG"
        major=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
        if ! uses_prefix && command -v dpkg-query >/dev/null; then install_packages "${packages[@]}"; fi
    else
        pick_major
        packages+=("postgresql-$major" "postgresql-client-$major" "postgresql-server-dev-$major")
        # There are none for 19 yet.
        if [ "$major" -lt 19 ]; then
            packages+=("postgresql-$major-cron" "postgresql-$major-hypopg" "postgresql-$major-pg-qualstats"
                "postgresql-$major-pg-stat-kcache" "postgresql-$major-pg-wait-sampling")
        fi
        if uses_prefix; then
            fill_prefix "${packages[@]}"
            PG_CONFIG=$PREFIX/usr/lib/postgresql/$major/bin/pg_config
        else
            install_packages "${packages[@]}"
            PG_CONFIG=/usr/lib/postgresql/$major/bin/pg_config
        fi
    fi
    if uses_prefix; then use_prefix; fi
    bindir=$("$PG_CONFIG" --bindir)
    export PG_CONFIG
}

# cargo, and cargo-pgrx of exactly the version that Cargo.toml pins for the major.
prepare_toolchain() {
    local version own place=() name=pgrx
    cargo_flags=()
    if [ "${major:-0}" -ge 19 ]; then
        name=pgrx19
        # It asks for Rust 1.96, and is content with 1.95. cargo pgrx hands it on.
        cargo_flags=(--ignore-rust-version)
        export PGRX_BUILD_FLAGS=${cargo_flags[*]}
    fi
    PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    command -v cargo >/dev/null || die "a Rust toolchain is needed: https://rustup.rs"
    command -v cc >/dev/null || die "a C compiler is needed: Debian's package gcc"
    command -v objcopy >/dev/null || die "objcopy is needed: Debian's package binutils"
    version=$(sed -nE "s/^$name *=.*\"=([0-9.]+)\".*/\1/p" "$ROOT/Cargo.toml")
    own=${CARGO_HOME:-$HOME/.cargo}/pgrx-$version
    PATH=$own/bin:$PATH
    export PATH
    case $(cargo pgrx --version 2>/dev/null || true) in
        "cargo-pgrx $version") return ;;
        "cargo-pgrx "*) place=(--root "$own") ;; # that of another major or project: leave it alone
    esac
    say "Installing cargo-pgrx $version (once, a minute or two)"
    # Without its default features it needs no OpenSSL; it only cannot download PostgreSQL sources. Not optimized: it has little to do,
    # and is built in a third of the time.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-pgrx --version "$version" --locked --no-default-features --debug "${cargo_flags[@]}" \
        "${place[@]}"
}

# Builds a program for cargo once for all checkouts: its crate and version, and options of cargo install. It has little to do, so it is
# not optimized.
cargo_program() {
    local root=${XDG_CACHE_HOME:-$HOME/.cache}/pgperf/programs
    PATH=$root/bin:$PATH
    [ ! -e "$root/$1-$2" ] || return 0
    say "Building $1 $2 (once, a minute or two)"
    CARGO_PROFILE_DEV_DEBUG=0 cargo install "$1" --version "$2" --locked --debug --quiet --root "$root" "${@:3}" >&2
    touch "$root/$1-$2"
}

# The toolchain, and its configuration for the server.
prepare_cargo() {
    local config others
    prepare_toolchain
    export PGRX_PG_CONFIG_PATH=$PG_CONFIG PGRX_HOME=$TARGET/pgrx
    # pgrx's build script runs again whenever this file is missing or newer than its last run.
    config="pg$major = \"$PG_CONFIG\""
    if ! grep -qsxF "$config" "$PGRX_HOME/config.toml"; then
        mkdir -p "$PGRX_HOME"
        # What it says of other majors stays.
        others=$(grep -s '^pg' "$PGRX_HOME/config.toml" | grep -v "^pg$major = " || true)
        printf '%s\n' '[configs]' ${others:+"$others"} "$config" >"$PGRX_HOME/config.toml"
    fi
    # libpq is the system's, or else the server's.
    if ! cc -shared -x c /dev/null -lpq -o /dev/null 2>/dev/null; then
        PQ_LIB_DIR=${PQ_LIB_DIR:-$("$PG_CONFIG" --libdir)}
        export PQ_LIB_DIR
    fi
    features=(--no-default-features --features "pg$major${EXTRA_FEATURES:+,$EXTRA_FEATURES}")
}

# The built extension waits here: lib/ and extension/, ready to be copied. PGPERF_PROFILE is cargo's profile for it.
stage() { echo "$TARGET/stage/pg$major-${PGPERF_PROFILE:-release}${EXTRA_FEATURES:+-$EXTRA_FEATURES}"; }

stage_is_fresh() {
    local stamp inputs=()
    stamp=$(stage)/built
    [ -e "$stamp" ] || return 1
    shopt -s nullglob
    inputs=("$ROOT"/{src,crates,Cargo.toml,Cargo.lock,pgperf.control,.cargo,tools/lib.sh} "$ROOT"/sql/pgperf--*.sql)
    shopt -u nullglob
    [ -z "$(find "${inputs[@]}" -newer "$stamp" -print -quit)" ]
}

# Moves the debug information of a library into a file beside it, to which the library has a link. Otherwise
# servers would map all of it, four fifths of the file. The file has the name under which gdb, perf
# and Rust's own backtraces look for it.
part_debug_information() {
    local library=$1
    objcopy --only-keep-debug "$library" "$library.debug"
    objcopy --strip-unneeded --add-gnu-debuglink="$library.debug" "$library"
    chmod 644 "$library.debug"
}

# Takes out of an install script the remarks on functions that are declared elsewhere: their order is one of chance.
leave_out_skipped() {
    awk '
        /^\/\* <begin connected objects> \*\/$/ { block = ""; inside = 1; has_sql = 0 }
        !inside { if (!left_out || NF) print; left_out = 0; next }
        { block = block $0 "\n" }
        !/^(--|\/\*|$)/ { has_sql = 1 }
        /^\/\* <\/end connected objects> \*\/$/ {
            inside = 0
            left_out = block ~ /Skipped due to `#\[pgrx\(sql = false\)\]`/ && !has_sql
            if (!left_out) printf "%s", block
        }
        END { exit inside }' "$1" >"$1.new"
    mv "$1.new" "$1"
}

build() {
    local package started
    if stage_is_fresh; then return; fi
    started=$(mktemp)
    say "Building pgperf for PostgreSQL $major (minutes the first time)"
    package=$TARGET/stage/package
    rm -rf "$package" "$(stage)"
    # cargo pgrx would have the linker keep what nobody calls, for fear of one that drops the marks from which the install script is
    # made; then it says so.
    export CARGO_PGRX_DISABLE_GC_SECTIONS_WORKAROUND=1
    (cd "$ROOT" && cargo pgrx package --profile "${PGPERF_PROFILE:-release}" --pg-config "$PG_CONFIG" --out-dir "$package" "${features[@]}") ||
        { rm -f "$started"; die "the build failed"; }
    mkdir -p "$(stage)"/{lib,extension}
    find "$package" -name '*.so' -exec mv -t "$(stage)/lib" {} +
    # A packager's own tools part it.
    if [ -z "${PGPERF_WHOLE:-}" ]; then part_debug_information "$(stage)/lib/pgperf.so"; fi
    find "$package" \( -name '*.control' -o -name '*.sql' \) -exec mv -t "$(stage)/extension" {} +
    leave_out_skipped "$(stage)/extension/pgperf--$(package_version).sql"
    # cargo pgrx packages the upgrade scripts among these. The first release's script is for dumps of its time.
    cp "$ROOT"/sql/pgperf--*.sql "$(stage)/extension"
    rm -rf "$package"
    # As old as the start of the build: files edited meanwhile count as newer.
    touch -r "$started" "$(stage)/built"
    rm -f "$started"
}

# Sets PGPERF_TESTS: the binary with the integration tests. A binary built in another Debian may need a newer C
# library than this one has.
build_tests() {
    if [ -n "${PGPERF_TESTS:-}" ] && "$PGPERF_TESTS" --list >/dev/null 2>&1; then return; fi
    say "Building the integration tests"
    PGPERF_TESTS=$(cd "$ROOT" &&
        cargo build --package pgperf-tests --test integration --message-format json-render-diagnostics |
        sed -nE 's/.*"executable":"([^"]+)".*/\1/p')
    [ -x "$PGPERF_TESTS" ] || die "cannot build the tests"
    export PGPERF_TESTS
}

# Copies the built extension into the server of PG_CONFIG, or to the same paths below DESTDIR. install(1) replaces a file
# instead of writing into it, so that a running server keeps the library it has loaded.
install_extension() {
    local lib extension
    lib=${DESTDIR:-}$("$PG_CONFIG" --pkglibdir)
    extension=${DESTDIR:-}$("$PG_CONFIG" --sharedir)/extension
    if [ -n "${DESTDIR:-}" ]; then mkdir -p "$lib" "$extension"; fi
    if [ ! -w "$lib" ] || [ ! -w "$extension" ]; then
        die "no permission to write to $lib and $extension; as root: make install PG_CONFIG=$PG_CONFIG"
    fi
    install -m 755 "$(stage)"/lib/*.so "$lib"
    if [ -z "${PGPERF_WHOLE:-}" ]; then install -m 644 "$(stage)"/lib/*.debug "$lib"; fi
    install -m 644 "$(stage)"/extension/* "$extension"
}

# Whether tests that failed pass alone, PGPERF_REPEAT times in a row; not where it is empty, nor for more than a few.
# pass_alone command test ...
pass_alone() {
    local time
    [ -n "${PGPERF_REPEAT:-}" ] && [ $# -gt 1 ] && [ $# -le 4 ] || return 1
    for ((time = 1; time <= PGPERF_REPEAT; time++)); do
        say "Failed, now alone, $time of $PGPERF_REPEAT: ${*:2}"
        "$@" || return 1
    done
}
