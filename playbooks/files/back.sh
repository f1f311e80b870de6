# Puts back what a record keeps and has the service told. A file of which only parts are ours goes back as a whole only
# while it is as we left it: nobody else's change is lost. Takes `record` and what files/tell.sh takes but the action.
trap '' HUP PIPE
placed=
case $(state_of "$record") in
awaiting) ;;
reverted) exit 0 ;;
confirmed) fail "this change was confirmed already, what it replaced is gone" ;;
*) [ -f "$record" ] || fail "there is no record of this change"; fail "the record of this change is damaged" ;;
esac
last=$(grep -c '' "$record")
[ "$(sed -n '1s/.*"before": {$/whole/p' "$record")$(sed -n '$s/^}}$/whole/p' "$record")" = wholewhole ] \
    || fail "the record of this change was written by another release"
action=$(sed -n '1s/.*"action": "\([a-z]*\)".*/\1/p' "$record")

# Reads a line of the record: path, and of a file that was there content, rights and the hash we left it with.
kept() {
    path=$root$(sed -n "$1"'s/^"\(\([^"\\]\|\\.\)*\)": .*/\1/p' "$record" | sed 's/\\\(.\)/\1/g')
    case $(sed -n "$1"'s/^.*": null,\{0,1\}$/absent/p' "$record") in
    absent) was_there= ;;
    *) was_there=yes ;;
    esac
    tail='", "mode": "\([0-7]*\) \([0-9]*\) \([0-9]*\)", "written": "\([0-9a-f]*\)"},\{0,1\}$'
    # shellcheck disable=SC2046 # four words, none with a blank in it
    set -- "$1" $(sed -n "$1s/^.*$tail/\\1 \\2 \\3 \\4/p" "$record")
    mode=$2 user=$3 group=$4 written=$5
}
content() {
    sed -n "$1"'s|^.*{"content": "\([A-Za-z0-9+/=]*\)", "mode": .*|\1|p' "$record" | base64 -d
}

number=2
while [ "$number" -lt "$last" ]; do
    kept "$number"
    if [ -n "$written" ]; then
        now=$(hash_of "$path") || exit 1
        before=$(content "$number" | sha256sum)
        [ "$now" = "$written" ] || [ "$now" = "${before%% *}" ] \
            || fail "$(short "$path") was changed by somebody else meanwhile: it is not put back"
    fi
    number=$((number + 1))
done
mark
number=2
while [ "$number" -lt "$last" ]; do
    kept "$number"
    if [ -n "$was_there" ]; then
        new=$path.intent-new
        rm -f -- "$new"
        content "$number" > "$new" || exit 1
        if [ "$(stat -c '%u %g' -- "$new")" != "$user $group" ]; then chown "$user:$group" -- "$new" || exit 1; fi
        chmod "$mode" -- "$new" && sync -- "$new" || exit 1
    fi
    number=$((number + 1))
done
number=2
while [ "$number" -lt "$last" ]; do
    kept "$number"
    placed="$placed $path"
    echo "placed $path"
    if [ -n "$was_there" ]; then mv -f -T -- "$path.intent-new" "$path"; else rm -f -- "$path" "$path.intent-new"; fi || exit 1
    number=$((number + 1))
done
told
settle "$record" reverted
