package cash_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Stores of an embedder, such as those over Redis.
type (
	ownPlans     struct{ control.PlanStore }
	ownQuota     struct{ control.QuotaStore }
	ownApprovals struct{ control.ApprovalStore }
	ownResults   struct{ control.ResultStore }
)

// The state of a server is what it has, and what of it is in a store of the embedder's.
func TestState(t *testing.T) {
	policy := func(o *control.ApprovalOptions) *control.Policy {
		return control.NewPolicy(&control.PolicyOptions{Approvals: control.NewApprovals(o)})
	}
	inMemory := &control.Controls{
		Policy: policy(nil), Quota: control.NewQuota(nil), Plans: control.NewPlans(nil),
		Cache: control.NewCache(&control.CacheOptions{ReadOnly: true, Store: control.NewResults(nil)}),
	}
	inStores := &control.Controls{
		Policy: policy(&control.ApprovalOptions{Store: ownApprovals{}}),
		Quota:  control.NewQuota(&control.QuotaOptions{Store: ownQuota{}}),
		Plans:  control.NewPlans(&control.PlanOptions{Store: ownPlans{}}),
		Cache:  control.NewCache(&control.CacheOptions{ReadOnly: true, Store: ownResults{}}),
	}
	for name, tt := range map[string]struct {
		opts *cash.Options
		want string
	}{
		"nothing":  {nil, "sessions=process results=process"},
		"memory":   {&cash.Options{Replays: control.NewResults(nil), Serve: serve.Options{Controls: inMemory}}, "sessions=process plans=process quota=process approvals=process results=process cache=process"},
		"stores":   {&cash.Options{Replays: ownResults{}, Serve: serve.Options{Controls: inStores, HTTP: serve.NoSessions}}, "plans=shared quota=shared approvals=shared results=shared cache=shared"},
		"sessions": {&cash.Options{Serve: serve.Options{HTTP: serve.SessionsOnly}}, "sessions=process results=process"},
	} {
		var got []string
		for _, s := range tt.opts.State() {
			got = append(got, s.Name+"="+string(s.Kept))
			if s.Description == "" {
				t.Errorf("%s: %s says nothing", name, s.Name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// State is published at both places if the embedder says so, and not otherwise.
func TestStateIsPublished(t *testing.T) {
	for _, published := range []bool{false, true} {
		opts := &cash.Options{Manifest: new(manifest.Manifest)}
		if published {
			opts.Manifest.State = append(opts.State(), manifest.State{Name: "artifacts", Kept: manifest.KeptShared, Description: "One."})
		}
		reg := registry.New(nil)
		ts := serveAll(t, cash.NewServer(reg, opts))
		_, text := get(t, "GET", ts.URL+manifest.WellKnownPath, "")
		client := cashtest.ConnectHTTP(t, ts.URL+"/mcp")
		resource, err := client.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: manifest.ResourceURI})
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{text, resource.Contents[0].Text} {
			m, err := manifest.Parse([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(m.State); published != (n == 3) || !published && (n != 0 || strings.Contains(body, "x-state")) {
				t.Errorf("published %v: %s", published, body)
			}
		}
	}
}
