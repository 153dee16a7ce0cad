# shellcheck shell=bash
# Gets PostgreSQL's source from Debian; for tools/assertion-server and tools/foreign, after lib.sh.

# Folder of built servers and suites: for root, one that the servers' user can read.
if is_root; then CACHE=/var/cache/pgperf; else CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/pgperf; fi

# Debian's sources of the machine's own suites, in a private list.
source_list() {
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
        'Origin: Debian' | sort -u
}

# Runs a program of apt with only the list in this folder.
private_sources() {
    local folder=$1
    "$2" -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache="$folder/cache" -o Debug::NoLocking=true -o APT::Sandbox::User=root "${@:3}"
}

# Sorts the versions on standard input: those nearest to this minor release first; without one, the newest first.
nearest_first() {
    local wanted=${1:-999}
    sort -rVu | awk -F '[.-]' -v wanted="$wanted" \
        '{ distance = $2 - wanted; print (distance < 0 ? -distance : distance), NR, $0 }' | sort -n -k 1,2 | cut -d ' ' -f 3
}

# Unpacks the source of a major into folder/source, from the minor release on the mirror nearest to the named one (by default
# the newest): the index may name versions that are gone. Debian's patches are left out: they move files to other places.
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
    die "the source of PostgreSQL $major is not available"
)
