# shellcheck shell=bash
# PostgreSQL's source as Debian has it: for tools/assertion-server and tools/foreign, after lib.sh.

# Where built servers and suites are kept: root's is where the servers' user can read it.
if is_root; then CACHE=/var/cache/pgperf; else CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/pgperf; fi

# Debian's sources of the machine's own suites, in a list that is nobody else's.
source_list() {
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        'Origin: Debian' | sort -u
}

# A program of apt's, with the list in this folder alone.
private_sources() {
    local folder=$1
    "$2" -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache="$folder/cache" -o Debug::NoLocking=true -o APT::Sandbox::User=root "${@:3}"
}

# The versions on standard input, those first whose minor release is nearest to this one; the newest without one.
nearest_first() {
    local wanted=${1:-999}
    sort -rVu | awk -F '[.-]' -v wanted="$wanted" \
        '{ distance = $2 - wanted; print (distance < 0 ? -distance : distance), NR, $0 }' | sort -n -k 1,2 | cut -d ' ' -f 3
}

# Unpacks the source of a major into folder/source, from the minor release nearest to the one named (else the newest) that
# the mirror has: the index may name versions that are gone. Debian's patches are left out: they move files to its places.
get_source() (
    local folder=$1 major=$2 minor=${3:-} version
    mkdir -p "$folder"/{lists,cache/archives}/partial "$folder/source"
    source_list >"$folder/sources.list"
    [ -s "$folder/sources.list" ] || die "no Debian mirror among this machine's package sources"
    say "Getting the source of PostgreSQL $major"
    cd "$folder"
    private_sources "$folder" apt-get update >&2
    for version in $(private_sources "$folder" apt-cache showsrc "postgresql-$major" | sed -n 's/^Version: //p' |
        nearest_first "$minor"); do
        if private_sources "$folder" apt-get source --download-only "postgresql-$major=$version" >&2; then
            tar -xf postgresql-*.orig.tar.* -C source --strip-components 1
            return
        fi
    done
    die "the source of PostgreSQL $major cannot be had"
)
