# Asks the tools of a subnet manager's host about its subnet. Takes `log`, the manager's log or nothing, and `tools`, a
# function that runs a tool.
folder=$(mktemp -d "${TMPDIR:-/tmp}/intent-subnet-XXXXXX") || exit 1
trap 'cd /; rm -rf -- "$folder"' EXIT
cd "$folder" || exit 1
ask() {
    what=$1; shift
    echo "@@ $what"
    tools "$@" 2>&1
    echo "@@ end $?"
}
{
    ask links iblinkinfo -l
    ask errors ibqueryerrors
    ask managers saquery -s
    ask nodes ibnetdiscover -p
    echo "@@ log"
    [ -z "$log" ] || grep -aE 'tables configured|Entering [A-Z-]+ state' -- "$log" | tail -n 100
    echo "@@ end 0"
} > answers
sed -n '/^@@ managers/,/^@@ end/s/^[[:space:]]*EndPortLid\.*\([0-9]*\)$/\1/p' answers > lids
while read -r lid; do ask "sminfo $lid" sminfo "$lid"; done < lids >> answers
sed -n '/^@@ nodes/,/^@@ end/p' answers \
    | awk '$1 == "CA" { print $4, $2, $3 } $1 == "SW" && !seen[$2]++ { print $4, $2, 0 }' | sort -u > ends
while read -r guid lid port; do
    ask "pkeys $guid $lid $port" smpquery pkeys "$lid" "$port"
done < ends >> answers
echo '@@ file answers' && base64 answers
