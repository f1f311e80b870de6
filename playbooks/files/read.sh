# Prints every file of the arguments that is there: `@@ file <path>`, then its content in base64. Nothing else is said of
# what is not there; what cannot be read is a failure.
export LC_ALL=C
for path in "$@"; do
    if text=$(base64 -- "$path" 2>&1); then
        printf '@@ file %s\n%s\n' "$path" "$text"
    else
        case $text in
        *'No such file or directory'*) ;;
        *) echo "$text" >&2; exit 1 ;;
        esac
    fi
done
