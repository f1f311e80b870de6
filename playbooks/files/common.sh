# What the scripts of the plays have in common. Takes `root`, which stands for / and is left out of what is said.
export LC_ALL=C
usual=$(umask)
umask 077
tab=$(printf '\t')

fail() {
    printf '%s\n' "$1" >&2
    exit 1
}

# Path without the folder that stands for /.
short() {
    printf '%s' "${1#"$root"}"
}

# SHA-256 of a file; "-" where there is none.
hash_of() {
    [ -f "$1" ] || { echo -; return; }
    sum=$(sha256sum < "$1") || fail "$(short "$1") cannot be read"
    printf '%s\n' "${sum%% *}"
}

# Reads a line of what is wanted: path, hash ("-": the file goes), hash it was made from ("-": all of it is ours), mode
# of a new file, and whether it differs.
fields() {
    IFS=$tab read -r path sha was mode word <<LINE
$1
LINE
}

# Where a change stands, from its record; nothing when there is no record.
state_of() {
    [ ! -f "$1" ] || sed -n '1s/^{"state": "\([a-z]*\)".*/\1/p' "$1"
}

# Puts a record's last state on the disk: what it kept is gone.
settle() {
    printf '{"state": "%s", "before": {}}\n' "$2" > "$1.new" && sync -- "$1.new" && mv -f -T -- "$1.new" "$1" \
        || fail "the record of this change cannot be written"
}
