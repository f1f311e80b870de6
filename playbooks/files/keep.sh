# Ends a change: what it replaced is no longer kept. Takes `record`.
trap '' HUP PIPE
case $(state_of "$record") in
awaiting | confirmed) ;;
reverted) fail "this change was reverted already" ;;
*) [ -f "$record" ] || fail "there is no record of this change"; fail "the record of this change is damaged" ;;
esac
settle "$record" confirmed
