#!/bin/sh
# A client in shell and jq of the endpoint whose program is the first argument.
# It says what it found, a line for each thing.
set -u
endpoint=$1

ask() { printf '%s\n' "$1" | "$endpoint" 2>"${TMPDIR:-/tmp}/client.$$"; }

echo "tools: $(ask '{"action":"list_tools"}' | jq -r '[.tools[].name] | join(" ")')"
echo "members: $(ask '{"action":"list_tools"}' | jq -c '[.tools[] | keys] | unique')"
echo "describe: $(ask '{"action":"describe_tool","tool":"shout"}' | jq -c '.tool.input_schema.required')"

answer=$(ask '{"action":"call_tool","tool":"orders.list","arguments":{}}')
echo "call: $? $(printf '%s' "$answer" | jq -c .result)"

payload=$(jq -n --arg query "it's \"quoted\"" '{action: "call_tool", tool: "shout", arguments: {query: $query}}')
answer=$(ask "$payload")
printf 'command: %s %s\n' "$?" "$(printf '%s' "$answer" | jq -c .result)"

answer=$(ask '{"action":"call_tool","tool":"nothing"}')
echo "error: $? $(printf '%s' "$answer" | jq -r '.error | "\(.name) \(.category)"')"

answer=$(printf 'not json' | "$endpoint")
echo "bad: $? $(printf '%s' "$answer" | jq -r '.type')"

echo "standard error: $(wc -c <"${TMPDIR:-/tmp}/client.$$" | tr -d ' ')"
rm -f "${TMPDIR:-/tmp}/client.$$"
