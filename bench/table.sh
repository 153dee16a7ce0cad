# shellcheck shell=bash disable=SC2034,SC2154
# Pairs, medians, ratios and the table.

results=()

# Measures two sides in turn, each as often first as the other, and adds a row to the table:
#   compare WHAT UNIT TARGET AGAINST command of ours... [-- command of the other side...]
# UNIT: a rate, tps or nopm, or a unit of time, where less is better; the ratio is above 1 where we are better.
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
    if [ "$unit" = tps ] || [ "$unit" = nopm ]; then
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
    add_row "$what" "$unit" "$target" "$against" "${pairs_measured[@]}"
}

# Adds a row of pairs that were measured: WHAT UNIT TARGET AGAINST "ours theirs"...
add_row() {
    local what=$1 unit=$2 target=$3 against=$4
    shift 4
    results+=("$what"$'\t'"$unit"$'\t'"$against"$'\t'"$(printf '%s\n' "$@" | evaluate)")
}

# Pairs on stdin → our median, theirs, their ratio, the range of the pairs' ratios, the 95 % interval of their
# (geometric) mean by Student's t, target, met; between tabs.
evaluate() {
    awk -v OFS='\t' -v unit="$unit" -v target="$target" '
        function better(a, b) { return unit ~ /^(tps|nopm)$/ ? a / b : b / a }
        function number(x) { return sprintf(x < 1 ? "%.3f" : x < 10 ? "%.2f" : x < 1000 ? "%.1f" : "%.0f", x) }
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
            sum += log(r); squares += log(r) ^ 2
        }
        END {
            x = median(ours, NR)
            other = ratio = range = interval = wanted = met = "-"
            if (!alone) {
                y = median(theirs, NR)
                other = number(y)
                ratio = sprintf("%.3f", better(x, y))
                range = sprintf("%.2f to %.2f", low, high)
                if (NR > 1) {
                    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145", t, " ")
                    quantile = NR - 1 in t ? t[NR - 1] : 1.96 + 2.4 / (NR - 1)
                    variance = (squares - sum ^ 2 / NR) / (NR - 1)
                    width = quantile * sqrt((variance > 0 ? variance : 0) / NR)
                    interval = sprintf("%.3f to %.3f", exp(sum / NR - width), exp(sum / NR + width))
                }
            }
            split(target, goal, ":")
            if (goal[1] == "ratio") { wanted = "ratio >= " goal[2]; met = ratio + 0 >= goal[2] + 0 ? "yes" : "no" }
            if (goal[1] == "max") { wanted = "<= " goal[2] " " unit; met = x <= goal[2] + 0 ? "yes" : "no" }
            print number(x), other, ratio, range, interval, wanted, met
        }'
}

# The rows so far, as a Markdown table that reads well as it is.
print_table() {
    printf '%s\n' $'what\tunit\tagainst\tmedian\tother\tratio\tof the pairs\t95 % interval\ttarget\tmet' "${results[@]}" |
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
