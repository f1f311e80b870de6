# How a service is told of new files. Takes
#   action    hup, restart, reload, or none: nobody is told
#   tell      a function that does it; finds in `placed` what was put in place
#   log       the manager's log; empty does not look into it
#   seconds   how long it may take to take its files

# Remembers where the log ends now, and which role the manager said last.
mark() {
    offset=0 role=
    [ -f "$log" ] || return 0
    offset=$(stat -c %s -- "$log") || exit 1
    role=$(grep -aE 'Entering (MASTER|STANDBY|NOT-ACTIVE|DISCOVERING) state' -- "$log" | tail -n 1)
}

# What the log says since then.
said() {
    size=$(stat -c %s -- "$log") || return 1
    [ "$size" -ge "$offset" ] || offset=0
    tail -c "+$((offset + 1))" -- "$log"
}

# Tells it, waits until it took its files, and fails when it threw its partitions away. A standby reads them when it takes
# over: there is nothing to wait for.
told() {
    [ "$action" != none ] || return 0
    # Into a file: a service it starts would keep a pipe open. Such a service gets signals and rights as usual.
    words=$(mktemp) || exit 1
    if ! (trap - HUP PIPE; umask "$usual"; tell) > "$words" 2>&1 < /dev/null; then
        why=$(tail -c 300 "$words" | tr -s '\n' ' ')
        rm -f -- "$words"
        fail "the service could not be told: $why"
    fi
    rm -f -- "$words"
    [ -n "$log" ] || return 0
    ends='SUBNET UP|Errors during initialization'
    case $action in
    restart) ends="$ends|Entering STANDBY" ;;
    *) case $role in *STANDBY*) return 0 ;; esac ;;
    esac
    end=$(($(date +%s) + seconds))
    until said | grep -qaE "$ends"; do
        [ "$(date +%s)" -lt "$end" ] || fail "the manager did not take its files within $seconds s"
        sleep 0.2
    done
    if said | grep -qaE 'PARSE ERROR|retrying with default config|Errors during initialization'; then
        fail "the manager did not take its files"
    fi
}
