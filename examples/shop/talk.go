package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A talk prints the turns of a conversation until one fails.
type talk struct {
	ctx     context.Context
	session *mcp.ClientSession
	out     io.Writer
	turns   int
	learns  string // the tool that lists the contents of the server
	learnt  int    // characters of its replies
	err     error
}

// say takes one turn and returns the reply.
func (t *talk) say(why, tool, arguments string) string {
	if t.err != nil {
		return ""
	}
	var res *mcp.CallToolResult
	res, t.err = t.session.CallTool(t.ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if t.err != nil {
		return ""
	}
	reply := (&registry.Result{Content: res.Content}).Text()
	if tool == t.learns || strings.HasPrefix(arguments, `{"cmd":"help"`) { // or the command help of a domain
		t.learnt += utf8.RuneCountInString(reply)
	}
	t.head(why, len(tool)+len(arguments), utf8.RuneCountInString(reply))
	t.write("> ", tool+" "+arguments)
	t.write("< ", reply)
	return reply
}

// list takes the client's turn that lists the tools. It returns one line for each.
func (t *talk) list(why string) string {
	if t.err != nil {
		return ""
	}
	var list *mcp.ListToolsResult
	if list, t.err = t.session.ListTools(t.ctx, nil); t.err != nil {
		return ""
	}
	var b strings.Builder
	for _, tool := range list.Tools {
		fmt.Fprintf(&b, "%s %s\n", tool.Name, tool.Description)
	}
	t.head(why, len("tools/list"), jsonSize(list.Tools))
	t.write("> ", "tools/list")
	t.write("< ", b.String())
	return b.String()
}

// readResource is the name of the turns of [talk.fetch].
const readResource = "resources/read"

// fetch takes a turn that reads a resource and returns its text.
func (t *talk) fetch(why, uri string) string {
	if t.err != nil {
		return ""
	}
	var res *mcp.ReadResourceResult
	if res, t.err = t.session.ReadResource(t.ctx, &mcp.ReadResourceParams{URI: uri}); t.err != nil {
		return ""
	}
	text := ""
	for _, c := range res.Contents {
		text += c.Text
	}
	if t.learns == readResource {
		t.learnt += utf8.RuneCountInString(text)
	}
	t.head(why, len(uri), utf8.RuneCountInString(text))
	t.write("> ", readResource+" "+uri)
	t.write("< ", text)
	return text
}

func (t *talk) head(why string, sent, got int) {
	t.turns++
	title := fmt.Sprintf("%d. %s", t.turns, why)
	fmt.Fprintf(t.out, "\n%s%*s\n", title, width-len(title), fmt.Sprintf("sent %d, got %d", sent, got))
}

// The shape of the page.
const (
	width    = 100
	maxLines = 7 // of a text
	maxData  = 3 // of JSON
)

// write prints a text in lines that fit the page, without the empty ones, up to a limit.
func (t *talk) write(mark, text string) {
	const more = " [...]"
	most := maxLines
	if strings.HasPrefix(text, "{") {
		most = maxData
	}
	var shown []string
	for line := range lines(text, width-len("   > ")-len(more)) {
		if len(shown) == most {
			shown[most-1] += more
			break
		}
		shown = append(shown, line)
	}
	for _, line := range shown {
		fmt.Fprintf(t.out, "   %s%s\n", mark, line)
	}
}
