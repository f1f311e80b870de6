# Writes files beside those they are to replace, compares their hashes and keeps what they replace; nothing is in force
# afterwards. Takes
#   root      folder that stands for /
#   check     yes: only looks
#   record    file that keeps what is replaced; empty keeps nothing
#   action    how the service is told afterwards; goes into the record
#   folder, pattern   files that go unless they are wanted; empty: none
# and as input a line for each file: path, hash, hash it was made from or "-", mode of a new file, content in base64; with
# tabs in between. Prints the lines without their contents, those of files that go added, and whether each differs.
work=$(mktemp -d) || exit 1
made=
leave() {
    code=$?
    if [ "$code" -ne 0 ] && [ -f "$work/found" ]; then
        cut -f 1 "$work/found" | while IFS= read -r path; do rm -f -- "$path.intent-new"; done
        [ -z "$made" ] || rm -f -- "$record" "$record.new"
    fi
    rm -rf -- "$work"
}
trap leave EXIT
grep . > "$work/sent"
cut -f 1-4 "$work/sent" > "$work/wanted"
cut -f 1 "$work/sent" > "$work/paths"
if [ -n "$pattern" ]; then
    for path in "$folder"/$pattern; do
        if [ -e "$path" ] || [ -L "$path" ]; then
            grep -qxF -e "$path" "$work/paths" || printf '%s\t-\t-\t-\n' "$path" >> "$work/wanted"
        fi
    done
fi

differing=
while IFS=$tab read -r path sha was mode; do
    if [ -L "$path" ] || { [ -e "$path" ] && [ ! -f "$path" ]; }; then
        fail "$(short "$path") is no regular file"
    fi
    now=$(hash_of "$path") || exit 1
    if [ "$was" != - ] && [ "$now" != "$was" ] && [ "$now" != "$sha" ]; then
        fail "$(short "$path") changed since it was read"
    fi
    word=same
    [ "$now" = "$sha" ] || { word=differs; differing=yes; }
    printf '%s\t%s\t%s\t%s\t%s\n' "$path" "$sha" "$was" "$mode" "$word" >> "$work/found"
done < "$work/wanted"
[ -n "$differing" ] || exit 0
[ "$check" != yes ] || { cat "$work/found"; exit 0; }

# One file a line, so that files/back.sh reads it without a parser.
kept() {
    printf '{"state": "awaiting", "action": "%s", "before": {' "$action"
    between=
    while IFS=$tab read -r path sha was mode word; do
        [ "$word" = differs ] || continue
        name=$(short "$path" | sed 's/[\\"]/\\&/g')
        written=$sha
        [ "$was" != - ] || written=
        if [ -f "$path" ]; then
            content=$(base64 -w 0 < "$path") && rights=$(stat -c '%a %u %g' -- "$path") || return 1
            printf '%s\n"%s": {"content": "%s", "mode": "%s", "written": "%s"}' \
                "$between" "$name" "$content" "$rights" "$written"
        else
            printf '%s\n"%s": null' "$between" "$name"
        fi
        between=,
    done < "$work/found"
    printf '\n}}\n'
}
if [ -n "$record" ] && [ ! -e "$record" ]; then
    made=yes
    mkdir -p -- "${record%/*}" && chmod 0700 "${record%/*}" && kept > "$record.new" && sync -- "$record.new" \
        && mv -f -T -- "$record.new" "$record" || fail "what is replaced cannot be kept"
fi

number=0
while IFS=$tab read -r path sha was mode word; do
    number=$((number + 1))
    [ "$word" = differs ] && [ "$sha" != - ] || continue
    new=$path.intent-new
    [ -d "${path%/*}" ] || (umask 022; mkdir -p -- "${path%/*}") || exit 1
    rm -f -- "$new"
    sed -n "${number}p" "$work/sent" | cut -f 5 | base64 -d > "$new" || exit 1
    [ "$(hash_of "$new")" = "$sha" ] || fail "$(short "$path") did not arrive as it was sent"
    if [ -f "$path" ]; then
        chown --reference="$path" -- "$new" && chmod --reference="$path" -- "$new" || exit 1
        [ ! -e /sys/fs/selinux/enforce ] || chcon --reference="$path" -- "$new" || exit 1
    else
        chmod "$mode" -- "$new" || exit 1
    fi
    sync -- "$new" || exit 1
done < "$work/found"
cat "$work/found"
