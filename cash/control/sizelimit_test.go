package control_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestY6SizeLimit holds what passes a limit, and what is said of what does not.
func TestY6SizeLimit(t *testing.T) {
	reg := registry.New(nil)
	type in struct {
		Status string `json:"status,omitempty" jsonschema:"Which ones."`
		Size   int    `json:"size" jsonschema:"Characters."`
	}
	text := func(_ context.Context, in in) (string, error) { return strings.Repeat("é", in.Size), nil }
	read := registry.Func("read", "Read.", text, registry.ReadOnly)
	stream := registry.StreamFunc("stream", "Stream.", func(ctx context.Context, in in, _ func(registry.Progress) error) (string, error) {
		return text(ctx, in)
	}, registry.ReadOnly)
	reg.Namespace("", "").Add(read, stream, registry.Func("write", "Write.", text))
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{control.SizeLimit(1000)}})
	for _, tt := range []struct {
		function, args string
		passes         bool
	}{
		{"read", `{"size":1000}`, true},
		{"read", `{"size":1001}`, false},
		{"write", `{"size":1001}`, true},
		{"stream", `{"size":1001}`, true},
	} {
		r, err := p.Call(t.Context(), &registry.Request{Function: tt.function, Arguments: []byte(tt.args)})
		if err != nil || r.IsError == tt.passes {
			t.Errorf("%s%s = %.80s, %v", tt.function, tt.args, r.Text(), err)
		}
		if tt.passes {
			continue
		}
		if notice := r.Text(); !strings.Contains(notice, "1,001 characters") || !strings.Contains(notice, "status") || strings.Contains(notice, "sizelimit") {
			t.Errorf("%s%s is answered with %q", tt.function, tt.args, notice)
		}
	}
}
