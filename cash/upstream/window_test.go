package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// wide is a server of ours with more than a page can list, at every level.
func wide(functions, namespaces, skills int) *cash.Server {
	reg := registry.New(nil)
	never := func(context.Context, struct{}) (string, error) { return "", nil }
	for _, path := range []string{"", "orders"} {
		ns := reg.Namespace(path, "")
		for i := range functions {
			ns.Add(registry.Func(fmt.Sprintf("f%04d", i), strings.Repeat("é", 150)+fmt.Sprintf(" %d.", i), never))
		}
		for i := range namespaces {
			below := strings.TrimPrefix(fmt.Sprintf("%s.n%04d", path, i), ".")
			reg.Namespace(below, strings.Repeat("About it. ", 15)).Add(registry.Func("get", "Get it.", never))
		}
		for i := range skills {
			ns.AddSkill(registry.NewSkill(fmt.Sprintf("s%04d", i), strings.Repeat("How. ", 20), "Do it."))
		}
	}
	return cash.NewServer(reg, nil)
}

// count returns the functions and skills of a registry below a path.
func count(t *testing.T, reg *registry.Registry, path string) (functions, skills int) {
	t.Helper()
	err := registry.Walk(t.Context(), reg, path, func(l *registry.Listing) error {
		functions, skills = functions+len(l.Functions), skills+len(l.Skills)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return functions, skills
}

// TestZ1MountedPages holds that nothing of a large server of ours is lost, through one level and through two, and that
// pages of every level stay within the budget.
func TestZ1MountedPages(t *testing.T) {
	large(t)
	const functions, namespaces, skills = 3500, 300, 700
	patient := memory("in", wide(functions, namespaces, skills))
	patient.ConnectTimeout = 6 * patience
	middle, agg, reg := aggregateWithin(t, 6*patience, nil, patient)
	if st := agg.Status()[0]; st.Functions != 2*(functions+namespaces) {
		t.Fatalf("Z1: %d functions, want %d: %v %v", st.Functions, 2*(functions+namespaces), st.Notes, st.Err)
	}
	again := memory("out", middle)
	again.ConnectTimeout = 6 * patience
	outer, _, outerReg := aggregateWithin(t, 6*patience, nil, again)
	for path, reg := range map[string]*registry.Registry{"in": reg, "out.in": outerReg} {
		if f, s := count(t, reg, path); f != 2*(functions+namespaces) || s != 2*skills {
			t.Errorf("Z1: %s has %d functions and %d skills", path, f, s)
		}
	}
	for _, path := range []string{"out.in", "out.in.orders"} {
		for _, kwargs := range []string{`{}`, `{"model":"small"}`, `{"offset":3700}`} {
			page, err := outer.Help(t.Context(), &cash.HelpRequest{Namespace: path, Kwargs: json.RawMessage(kwargs)})
			if n := utf8.RuneCountInString(page); err != nil || n > 10_000 || !strings.Contains(page, fmt.Sprintf("%d functions", functions)) {
				t.Errorf("Z1 %s %s: %d characters, %v:\n%.300s", path, kwargs, n, err, page)
			}
			for _, call := range regexp.MustCompile(`help\([^)]*\)`).FindAllString(page, -1) {
				if strings.Contains(call, "namespace") && !strings.Contains(call, `namespace="`+path+`"`) {
					t.Errorf("R137 %s %s: the page leads to %s", path, kwargs, call)
				}
			}
		}
	}
}

// pager is a flat server by other hands whose help in markdown lists 10 functions a page.
type pager struct {
	total      int
	documented bool // help() names offset and limit
	strict     bool // an unknown keyword argument is an error
	forever    bool // every page names a next one, and repeats its list
	endless    bool // every page names a next one, with new names

	mu    sync.Mutex
	asked []string // kwargs of requests for the list
}

func (p *pager) server() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "pager"}, nil)
	for name, answer := range map[string]func(args pagerArgs) (string, bool){
		"help": p.help, "skill": func(pagerArgs) (string, bool) { return "No skills.", false }, "call": func(pagerArgs) (string, bool) { return "called", true },
	} {
		schema := json.RawMessage(`{"type":"object","properties":{"namespace":{},"function":{},"skillname":{},"kwargs":{}}}`)
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args pagerArgs
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			page, ok := answer(args)
			r := text(page)
			r.IsError = !ok
			return r, nil
		})
	}
	return srv
}

type pagerArgs struct {
	Function string
	Kwargs   map[string]any
}

func (p *pager) help(args pagerArgs) (string, bool) {
	if args.Function != "" {
		return "# " + args.Function + "\n\nIt runs.", true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, _ := json.Marshal(args.Kwargs)
	p.asked = append(p.asked, string(asked))
	for name := range args.Kwargs {
		if p.strict && name != "format" && !(p.documented && (name == "offset" || name == "limit")) {
			return "Unknown argument " + strconv.Quote(name), false
		}
	}
	offset, _ := args.Kwargs["offset"].(float64)
	from := int(offset)
	if p.forever {
		from = 0
	}
	var b strings.Builder
	b.WriteString("# Functions\n\n")
	to := min(from+10, p.total)
	if p.endless {
		to = from + 10
	}
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "- **run%d** — Runs %d.\n", i, i)
	}
	if to < p.total || p.forever || p.endless {
		fmt.Fprintf(&b, "\nThere is more: `help(kwargs={\"offset\": %d})`.\n", int(offset)+10)
	}
	if p.documented {
		b.WriteString("\nSupported arguments: `offset`, `limit` (at most 10).\n")
	}
	return b.String(), true
}

// TestZ1PagesByOtherHands holds that pages of servers by other hands are followed to their end, and that a server
// which names no next page is not asked for one.
func TestZ1PagesByOtherHands(t *testing.T) {
	for _, tt := range []struct {
		name      string
		pager     *pager
		functions int
		requests  int // for the list, at most
	}{
		{"documented", &pager{total: 95, documented: true, strict: true}, 95, 12},
		{"named", &pager{total: 95}, 95, 12},
		{"one page", &pager{total: 9, strict: true}, 9, 2},
		{"one page, documented", &pager{total: 9, documented: true, strict: true}, 9, 2},
		{"the same for ever", &pager{total: 9, forever: true}, 9, 4},
		{"new names for ever", &pager{total: 9, endless: true}, 10_000, 2001},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.pager.endless {
				large(t)
			}
			s := memory("a", tt.pager.server())
			s.ConnectTimeout = 6 * patience
			_, agg, _ := aggregateWithin(t, 6*patience, nil, s)
			if st := agg.Status()[0]; st.State != upstream.Connected || st.Functions != tt.functions {
				t.Errorf("Z1: %v with %d functions, want %d: %v %v", st.State, st.Functions, tt.functions, st.Notes, st.Err)
			}
			tt.pager.mu.Lock()
			defer tt.pager.mu.Unlock()
			if n := len(tt.pager.asked); n > tt.requests {
				t.Errorf("Z1: %d requests, at most %d are needed: %.500q", n, tt.requests, tt.pager.asked)
			}
			for _, kwargs := range tt.pager.asked {
				if tt.pager.strict && !tt.pager.documented && strings.Contains(kwargs, "limit") {
					t.Errorf("Z1: asked with %s", kwargs)
				}
			}
		})
	}
}
