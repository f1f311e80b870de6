# Prints where a change stands as a file `record`: its state; nothing when there is no record. What a record keeps may hold
# keys, and stays on the host. Takes `record`.
if [ -d "${record%/*}" ] && [ ! -x "${record%/*}" ]; then fail "${record%/*}: Permission denied"; fi
if [ -e "$record" ]; then
    state=$(state_of "$record") || exit 1
    echo '@@ file record'
    printf '{"state": "%s"}\n' "$state" | base64
fi
