package upstream_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// Tools that the operator leaves out are not there: neither in help, nor for calls, nor among the pins. Entries that
// select nothing are noted.
func TestIncludeAndExclude(t *testing.T) {
	for _, tt := range []struct {
		name             string
		include, exclude []string
		want, unmatched  []string
	}{
		{"all", nil, nil, []string{"a.drop_all", "a.list_files", "a.read_file"}, nil},
		{"named", []string{"read_file"}, nil, []string{"a.read_file"}, nil},
		{"pattern", []string{"*_file*"}, nil, []string{"a.list_files", "a.read_file"}, nil},
		{"excluded", nil, []string{"drop*"}, []string{"a.list_files", "a.read_file"}, nil},
		{"both", []string{"*file*"}, []string{"list_files"}, []string{"a.read_file"}, nil},
		{"spelled otherwise", []string{"ReadFile"}, nil, []string{"a.read_file"}, nil},
		{"nothing", []string{"read_file", "rd"}, []string{"x*y"}, []string{"a.read_file"}, []string{"rd", "x*y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := mcp.NewServer(&mcp.Implementation{Name: "files"}, nil)
			for _, name := range []string{"read_file", "list_files", "drop_all"} {
				mcp.AddTool(srv, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return text(name + " ran"), nil, nil
				})
			}
			pins := pin.NewMemory()
			face, agg, reg := aggregate(t, &upstream.Options{Pins: pins, Mode: pin.FirstUse}, upstream.Server{
				Label: "a", Endpoint: upstream.InMemory{Server: srv}, Include: tt.include, Exclude: tt.exclude,
			})
			var got []string
			for f := range reg.All() {
				got = append(got, f.Path())
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || !slices.Equal(agg.Status()[0].Unmatched, tt.unmatched) {
				t.Errorf("functions %v, unmatched %v; want %v, %v", got, agg.Status()[0].Unmatched, tt.want, tt.unmatched)
			}
			for _, name := range []string{"read_file", "drop_all"} {
				_, err := face.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: name})
				if served := slices.Contains(tt.want, "a."+name); served != (err == nil) {
					t.Errorf("calling %s: %v", name, err)
				}
			}
			pinned, err := pins.Load(t.Context(), "a")
			if err != nil || len(pinned.Definitions) != len(tt.want) {
				t.Errorf("%d pins (%v), want %d", len(pinned.Definitions), err, len(tt.want))
			}
		})
	}
}

// TestExcludeTheNameHere: an entry also names the function that a tool becomes.
func TestExcludeTheNameHere(t *testing.T) {
	names := []string{"delete-user", "drop/db", "x.delete-all", "a.wipe", "keep"}
	entries := []string{"delete_user", "drop.db", "*delete_all", "wipe"}
	for name, tt := range map[string]struct {
		server upstream.Server
		want   []string
	}{
		"exclude": {upstream.Server{Exclude: entries}, []string{"a.keep"}},
		"include": {upstream.Server{Include: entries}, []string{"a.delete_user", "a.drop_db", "a.wipe", "a.x.delete_all"}},
	} {
		t.Run(name, func(t *testing.T) {
			handlers := make(map[string]mcp.ToolHandler)
			for _, name := range names {
				handlers[name] = saying("done")
			}
			tt.server.Label, tt.server.Endpoint = "a", upstream.InMemory{Server: tools(handlers)}
			_, agg, reg := aggregate(t, nil, tt.server)
			var got []string
			for f := range reg.All() {
				got = append(got, f.Path())
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || len(agg.Status()[0].Unmatched) > 0 {
				t.Errorf("functions %v, unmatched %v; want %v", got, agg.Status()[0].Unmatched, tt.want)
			}
		})
	}
}

// The functions of a CaSH server are selected by their paths; its tools call, help and skill are not.
func TestExcludeBehindCaSH(t *testing.T) {
	var calls []string
	face, agg, reg := aggregate(t, nil, upstream.Server{
		Label: "a", Endpoint: upstream.InMemory{Server: foreign(&calls)}, Include: []string{"orders.*"}, Exclude: []string{"orders.ship", "none"},
	})
	var got []string
	for f := range reg.All() {
		got = append(got, f.Path())
	}
	slices.Sort(got)
	if want := []string{"a.orders.big", "a.orders.retail.create"}; !slices.Equal(got, want) {
		t.Errorf("functions %v, want %v", got, want)
	}
	if got := agg.Status()[0].Unmatched; !slices.Equal(got, []string{"none"}) {
		t.Errorf("unmatched: %v", got)
	}
	before := len(calls)
	if _, err := face.Call(t.Context(), &cash.CallRequest{Namespace: "a.orders", Function: "ship"}); err == nil || len(calls) != before {
		t.Errorf("an excluded function was called: %v, %v", err, calls[before:])
	}
	page, err := face.Help(t.Context(), &cash.HelpRequest{Namespace: "a.orders"})
	if err != nil || strings.Contains(page, "ship") {
		t.Errorf("%v\n%s", err, page)
	}
}

// A swap that fails leaves the old server in place.
func TestSwap(t *testing.T) {
	behind := func(name string) upstream.Server {
		srv := mcp.NewServer(&mcp.Implementation{Name: name}, nil)
		mcp.AddTool(srv, &mcp.Tool{Name: "who"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return text(name), nil, nil
		})
		return upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: srv}}
	}
	face, agg, _ := aggregate(t, nil, behind("one"))
	who := func() string {
		r, err := face.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "who"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	gone := upstream.Server{Label: "a", Endpoint: upstream.Command{Path: "no-such-program-at-all"}}
	if err := agg.Swap(t.Context(), gone); err == nil || !strings.Contains(err.Error(), "label a: the new server cannot be read") || who() != "one" {
		t.Errorf("%v", err)
	}
	gone.Label = "b"
	if err := agg.Swap(t.Context(), gone); err == nil {
		t.Error("a label without a server was swapped")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := agg.Swap(ended, behind("late")); err == nil && who() != "late" || err != nil && who() != "one" {
		t.Errorf("%v, and %s answers", err, who())
	}
	if err := agg.Swap(t.Context(), behind("two")); err != nil || who() != "two" || len(agg.Status()) != 1 {
		t.Errorf("%v, and %s answers, %v", err, who(), agg.Status())
	}
}
