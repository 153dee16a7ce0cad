# shellcheck shell=bash disable=SC2034,SC2154
# Pairs, medians, ratios and the table.

results=()

# Measures two sides in turn, each as often first as the other, and adds a row to the table:
#   compare WHAT UNIT TARGET AGAINST command of ours... [-- command of the other side...]
# UNIT: tps, or a unit of time, where less is better; the ratio is above 1 where we are better.
# TARGET: ratio:N (at least), max:N (of our own figure) or - (none).
compare() {
    local what=$1 unit=$2 target=$3 against=$4 i x y
    local -a ours=() theirs=() pairs_measured=()
    shift 4
    while [ $# -gt 0 ] && [ "$1" != -- ]; do ours+=("$1"); shift; done
    theirs=("${@:2}")
    [ "${#theirs[@]}" -gt 0 ] || theirs=(echo -)
    say "$what ($unit); against $against"
    query -c "VACUUM ANALYZE" -c "CHECKPOINT"
    if [ "$unit" = tps ]; then
        seconds=1 "${ours[@]}" >/dev/null
        seconds=1 "${theirs[@]}" >/dev/null
    fi
    for ((i = 1; i <= pairs; i++)); do
        if ((i % 2 == 1)); then
            x=$("${ours[@]}")
            y=$("${theirs[@]}")
        else
            y=$("${theirs[@]}")
            x=$("${ours[@]}")
        fi
        printf '    pair %d: %s, %s\n' "$i" "$x" "$y" >&2
        if [ -z "$x" ] || [ -z "$y" ]; then die "a measurement gave no number"; fi
        pairs_measured+=("$x $y")
    done
    results+=("$what"$'\t'"$unit"$'\t'"$against"$'\t'"$(printf '%s\n' "${pairs_measured[@]}" | evaluate)")
}

# Pairs on stdin → our median, theirs, their ratio, the range of the pairs' ratios, target, met; between tabs.
evaluate() {
    awk -v OFS='\t' -v unit="$unit" -v target="$target" '
        function better(a, b) { return unit == "tps" ? a / b : b / a }
        function number(x) { return sprintf(x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x) }
        function median(v, n,   i, j, x) {
            for (i = 2; i <= n; i++) {
                x = v[i]
                for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
            return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        }
        {
            ours[NR] = $1 + 0; theirs[NR] = $2 + 0; alone = $2 == "-"
            if (alone) next
            r = better($1, $2)
            if (NR == 1 || r < low) low = r
            if (NR == 1 || r > high) high = r
        }
        END {
            x = median(ours, NR)
            other = ratio = range = wanted = met = "-"
            if (!alone) {
                y = median(theirs, NR)
                other = number(y)
                ratio = sprintf("%.3f", better(x, y))
                range = sprintf("%.2f to %.2f", low, high)
            }
            split(target, t, ":")
            if (t[1] == "ratio") { wanted = "ratio >= " t[2]; met = ratio + 0 >= t[2] + 0 ? "yes" : "no" }
            if (t[1] == "max") { wanted = "<= " t[2] " " unit; met = x <= t[2] + 0 ? "yes" : "no" }
            print number(x), other, ratio, range, wanted, met
        }'
}

# The rows so far, as a Markdown table that reads well as it is.
print_table() {
    printf '%s\n' $'what\tunit\tagainst\tmedian\tother\tratio\tof the pairs\ttarget\tmet' "${results[@]}" |
        awk -F '\t' '
            function pad(text, size) { return sprintf("%-" size "s", text) }
            { for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) } }
            END {
                for (row = 1; row <= NR; row++) {
                    line = rule = "|"
                    for (i = 1; i <= NF; i++) {
                        line = line " " pad(cell[row, i], width[i]) " |"
                        dashes = pad("", width[i])
                        gsub(/ /, "-", dashes)
                        rule = rule " " dashes " |"
                    }
                    print line
                    if (row == 1) print rule
                }
            }'
}
