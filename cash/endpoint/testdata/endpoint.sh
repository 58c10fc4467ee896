#!/bin/sh
# An endpoint in a few lines of shell and jq, with two tools: sum adds numbers,
# and fail does what its name says. Errors are on standard error, with status 1.
set -u

fail() { # category message
	jq -n --arg category "$1" --arg message "$2" \
		'{type: "error", error: {name: "endpoint.sh", category: $category, message: $message}}' >&2
	exit 1
}

tools='[
  {"name": "sum", "description": "Add numbers.", "command": "sum <numbers>", "origin": "local",
   "safety": "Reads nothing and writes nothing.",
   "input_schema": {"type": "object", "required": ["numbers"], "properties": {"numbers": {"type": "array", "items": {"type": "number"}}}},
   "result_schema": {"type": "object", "required": ["sum"], "properties": {"sum": {"type": "number"}}}},
  {"name": "fail", "description": "Fail.", "command": "fail", "origin": "local", "safety": "Safe.",
   "input_schema": {"type": "object"}, "result_schema": {"type": "object"}}
]'

request=$(cat)
action=$(printf '%s' "$request" | jq -er '.action') || fail usage "The request has no action"
tool=$(printf '%s' "$request" | jq -r '.tool // ""')

case $action in
list_tools)
	jq -n --argjson tools "$tools" '{type: "result", tools: $tools}'
	;;
describe_tool)
	descriptor=$(printf '%s' "$tools" | jq -e --arg tool "$tool" '.[] | select(.name == $tool)') || fail usage "Unknown tool"
	jq -n --argjson tool "$descriptor" '{type: "result", tool: $tool}'
	;;
call_tool)
	case $tool in
	sum) printf '%s' "$request" | jq '{type: "result", tool: "sum", result: {sum: (.arguments.numbers | add)}}' || fail pipeline "jq failed" ;;
	fail) fail fatal "It was asked to" ;;
	*) fail usage "Unknown tool" ;;
	esac
	;;
*) fail usage "Unknown action" ;;
esac
