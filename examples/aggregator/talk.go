package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/registry"
)

// A talk prints the turns of a conversation until one fails.
type talk struct {
	ctx     context.Context
	session *mcp.ClientSession
	out     io.Writer
	tools   registry.Source // for looking up ids
	turns   int
	learns  string          // the tool that lists the contents of the server
	learnt  cost            // of its replies
	fetched map[string]bool // resources
	err     error

	mu       sync.Mutex
	progress []string // of this turn
}

// connect starts the face on one end of a pipe and a client on the other.
func (t *talk) connect(srv *config.Server) (err error) {
	here, there := mcp.NewInMemoryTransports()
	go srv.Run(t.ctx, there) // ends with the session
	client := mcp.NewClient(&mcp.Implementation{Name: "walk", Version: "1.0.0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.progress = append(t.progress, fmt.Sprintf("%v of %v", req.Params.Progress, req.Params.Total))
		},
	})
	t.session, err = client.Connect(t.ctx, here, nil)
	return err
}

// say takes one turn and returns the reply.
func (t *talk) say(why, tool, arguments string) string {
	if t.err != nil {
		return ""
	}
	params := &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
	params.SetProgressToken(t.turns + 1)
	var res *mcp.CallToolResult
	if res, t.err = t.session.CallTool(t.ctx, params); t.err != nil {
		return ""
	}
	reply := (&registry.Result{Content: res.Content}).Text()
	if tool == t.learns {
		t.learnt.add(reply)
	}
	t.head(why, len(tool)+len(arguments), utf8.RuneCountInString(reply))
	t.write("> ", tool+" "+arguments)
	t.mu.Lock()
	t.write("~ ", strings.Join(t.progress, ", "))
	t.progress = nil
	t.mu.Unlock()
	if res.IsError {
		t.write("! ", reply)
	} else {
		t.write("< ", reply)
	}
	return reply
}

// readResource is the name of the turns of [talk.fetch].
const readResource = "resources/read"

// fetch takes a turn that reads a resource.
func (t *talk) fetch(why, uri string) {
	if t.err != nil {
		return
	}
	var res *mcp.ReadResourceResult
	if res, t.err = t.session.ReadResource(t.ctx, &mcp.ReadResourceParams{URI: uri}); t.err != nil {
		return
	}
	text := ""
	for _, c := range res.Contents {
		text += c.Text
	}
	if t.learns == readResource {
		t.learnt.add(text)
	}
	t.fetched[uri] = true
	t.head(why, len(uri), utf8.RuneCountInString(text))
	t.write("> ", readResource+" "+uri)
	t.write("< ", text)
}

// list takes the client's turn that lists the tools.
func (t *talk) list(why string) {
	if t.err != nil {
		return
	}
	var list *mcp.ListToolsResult
	if list, t.err = t.session.ListTools(t.ctx, nil); t.err != nil {
		return
	}
	var b strings.Builder
	for _, tool := range list.Tools {
		fmt.Fprintf(&b, "%s %s\n", tool.Name, tool.Description)
	}
	t.head(why, len("tools/list"), utf8.RuneCountInString(asJSON(list.Tools)))
	t.write("> ", "tools/list")
	t.write("< ", b.String())
}

func (t *talk) head(why string, sent, got int) {
	t.turns++
	title := fmt.Sprintf("%d. %s", t.turns, why)
	fmt.Fprintf(t.out, "\n%s%*s\n", title, width-len(title), fmt.Sprintf("sent %d, got %d", sent, got))
}

// The shape of the page.
const (
	width    = 100
	maxLines = 5 // of a text
	more     = " [...]"
)

// write prints the lines of a text without the empty ones, up to maxLines.
func (t *talk) write(mark, text string) {
	if compact := new(bytes.Buffer); json.Compact(compact, []byte(text)) == nil {
		text = compact.String()
	}
	shown := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if shown++; shown > maxLines {
			fmt.Fprintf(t.out, "   %s%s\n", mark, more)
			return
		}
		fmt.Fprintf(t.out, "   %s%s\n", mark, cut(line))
	}
}

// cut returns the part of a line that fits the page.
func cut(line string) string {
	runes := []rune(line)
	if most := width - len("      "); len(runes) > most {
		return string(runes[:most-len(more)]) + more
	}
	return line
}
