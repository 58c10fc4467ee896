package wrong

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// EndpointRows are the rows that [Endpoint] breaks.
var EndpointRows = strings.Fields("E1 E2 E3 E4 E5 E6 E7")

const echoTool = `{"name":"echo","description":"Echo.","command":"echo TEXT","origin":"local","safety":"Reads.",` +
	`"input_schema":{"type":"object"},"result_schema":{"type":"object"}}`

// rightAnswers are what a sound endpoint says to the requests of a check.
var rightAnswers = map[string]string{
	"list":     `{"type":"result","tools":[` + echoTool + `]}`,
	"describe": `{"type":"result","tool":` + echoTool + `}`,
	"error":    `{"type":"error","error":{"name":"echo","category":"usage","message":"There is no such thing."}}`,
}

// brokenTool has another origin than local and remote.
var brokenTool = strings.Replace(echoTool, `"local"`, `"elsewhere"`, 1)

// EndpointAnswers are wrong answers by row, each for [Endpoint]. The first one of a row breaks no other, but for
// EndpointAlso.
var EndpointAnswers = map[string][]string{
	"E1": {`list={"type":"result"}`, `list=`, `list=[]`},
	"E2": {`list={"type":"result","tools":[` + brokenTool + "]}\n" + `describe={"type":"result","tool":` + brokenTool + `}`,
		`list={"type":"result","tools":[{"name":"echo"}]}`, `list={"type":"result","tools":[7,"a",[]]}`},
	"E3": {`describe={"type":"result","tool":{"name":"echo"}}`},
	"E4": {`unknown={"type":"result","tool":null}`},
	"E5": {`call={"type":"error","error":{"name":"echo"}}`, `call={"type":"result"}`},
	"E6": {`action={"type":"error","error":"no"}`, `action=not JSON`},
	"E7": {`other=`},
}

// EndpointAlso has the rows that another row takes with it, by its nature.
var EndpointAlso = map[string][]string{
	"E1": {"E2"}, // which checks the tools that are listed
}

// requests are the keys of requests.
var requests = map[string]string{
	`{"action":"list_tools"}`:                                          "list",
	`{"action":"describe_tool","tool":"echo"}`:                         "describe",
	`{"action":"describe_tool","tool":"no_such_tool_7f3a"}`:            "unknown",
	`{"action":"call_tool","tool":"no_such_tool_7f3a","arguments":{}}`: "call",
	`{"action":"no_such_action_7f3a"}`:                                 "action",
}

// Endpoint answers one request as a command endpoint. Each line of wrong is an answer, as KEY=ANSWER.
func Endpoint(in io.Reader, out io.Writer, wrong string) error {
	request, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	key := cmp.Or(requests[strings.TrimSpace(request)], "other")
	answer := cmp.Or(rightAnswers[key], rightAnswers["error"])
	for line := range strings.Lines(wrong) {
		if name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); name == key {
			answer = text
		}
	}
	_, err = fmt.Fprintln(out, answer)
	return err
}
