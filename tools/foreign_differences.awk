# Prints the hunks of a difference without context (diff -U 0) that pgperf does not explain.
#   awk -v names=FILE -v test=NAME -f foreign_differences.awk
#
# pgperf explains hunks in which it appears: lines with its name or the name of one of its objects (names: one per line) as a word, its
# advisory locks (in pg_locks objsubid 28775 to 28793), or the message that an extension required by pgperf already exists. A table
# with such lines has another row count below it, and may be wider. The suite's test of advisory locks counts them, too.
BEGIN { while ((getline name < names) > 0) if (name != "") own[name] }

function is_pgperfs(line,    words, n, i) {
    if (line ~ /pgperf/ || line ~ /^\+ advisory \|.*\| +287(7[5-9]|8[0-9]|9[0-3]) \|/) return 1
    if (line ~ /^\+ERROR:  extension "(pgstattuple|pg_buffercache|pg_stat_statements)" already exists$/) return 1
    n = split(line, words, /[^a-zA-Z0-9_]+/)
    for (i = 1; i <= n; i++) if (words[i] in own) return 1
    return 0
}

# Lines that say nothing by themselves: the line under a heading, the count of rows.
function is_frame(line) { return line ~ /^[-+][-+]+$/ || line ~ /^[-+]\([0-9]+ rows?\)$/ }

function flush() {
    if (test == "advisory_lock" && removed ~ /^- +[0-9]+$/ && added ~ /^\+ +[0-9]+$/ && substr(added, 2) + 0 > substr(removed, 2) + 0)
        other = 0
    if (other) printf "%s", hunk
    else if (!shown && framed) frames = frames hunk
    if (shown) any = 1
    hunk = removed = added = ""
    other = shown = framed = 0
}

/^(---|\+\+\+) / && hunk == "" { next }
/^@@/ { flush() }
{ hunk = hunk $0 "\n" }
/^-/ { removed = removed $0 }
/^\+/ { added = added $0 }
/^[-+]/ {
    if (is_pgperfs($0)) shown = 1
    else if (is_frame($0)) framed = 1
    else other = 1
}
END { flush(); if (!any) printf "%s", frames }
