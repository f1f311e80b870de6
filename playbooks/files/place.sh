# Renames what files/beside.sh wrote, removes what goes, has the service told and reads every hash back. Takes its lines as
# arguments, and what files/tell.sh takes. It goes on when the connection is lost: half a set of files is worse than all.
trap '' HUP PIPE
placed=
leave() {
    [ -z "$placed" ] || return
    for line in "$@"; do fields "$line"; rm -f -- "$path.intent-new"; done
}
mark
for line in "$@"; do
    fields "$line"
    if [ "$word" = differs ] && [ "$was" != - ] && [ "$(hash_of "$path")" != "$was" ]; then
        leave "$@"
        fail "$(short "$path") changed while it was written"
    fi
done
for line in "$@"; do
    fields "$line"
    [ "$word" = differs ] || continue
    placed="$placed $path"
    echo "placed $path"
    case $sha in
    -) rm -f -- "$path" ;;
    *) mv -f -T -- "$path.intent-new" "$path" ;;
    esac || exit 1
done
told
for line in "$@"; do
    fields "$line"
    [ "$(hash_of "$path")" = "$sha" ] || fail "$(short "$path") does not read back as it was written"
done
