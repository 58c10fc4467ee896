package upstream

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Functions returns the functions for operators: status, refresh and accept. Add them to a namespace that only
// operators see:
//
//	reg.Namespace("upstreams", "Look after the servers.", registry.VisibleTo(registry.Roles("operator"))).Add(agg.Functions()...)
//
// They are functions because further MCP tools would cost tokens in every conversation (RFC 4, 5.4).
func (a *Aggregator) Functions() []*registry.Function {
	return []*registry.Function{
		registry.Func("status", "How the upstream servers are: state, since when, why, what is quarantined and what is not served as it is.", a.manageStatus, registry.ReadOnly),
		registry.Func("refresh", "Ask an upstream server again for what it has.", a.manageRefresh, registry.Idempotent(true)),
		registry.Func("accept", "Take the definition of a quarantined tool, function or skill for the good one. Read the difference in status first, and ask the user.", a.manageAccept),
	}
}

type whichServer struct {
	Label string `json:"label,omitempty" jsonschema:"Namespace of the server. Empty is all of them."`
}

// serverStatus is a [Status] as JSON.
type serverStatus struct {
	Labels      []string     `json:"labels"`
	State       string       `json:"state"`
	Since       time.Time    `json:"since"`
	Reason      string       `json:"reason,omitempty"`
	Retry       *time.Time   `json:"retry,omitempty"`
	Kind        string       `json:"kind"`
	Server      string       `json:"server,omitempty"`
	LastKnown   *time.Time   `json:"last_known,omitempty"`
	InFlight    int          `json:"in_flight"`
	Functions   int          `json:"functions"`
	Skills      int          `json:"skills"`
	Resources   int          `json:"resources,omitempty"`
	Prompts     int          `json:"prompts,omitempty"`
	Quarantined []quarantine `json:"quarantined,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
}

type quarantine struct {
	Tool       foreignName `json:"tool"`
	Reason     string      `json:"reason"`
	Hash       string      `json:"hash,omitempty"`
	Difference string      `json:"difference,omitempty"`
}

// A foreignName is a foreign name. Invisible characters are written as escapes in JSON: they become visible, and the
// name stays exact.
type foreignName string

// MarshalJSON implements [json.Marshaler].
func (s foreignName) MarshalJSON() ([]byte, error) {
	return wire.EscapeHidden(strictjson.AppendText(nil, string(s))), nil
}

func (a *Aggregator) manageStatus(_ context.Context, in whichServer) ([]serverStatus, error) {
	if in.Label != "" {
		u, err := a.find(in.Label)
		if err != nil {
			return nil, err
		}
		list := []Status{u.status()}
		a.noteContested(list)
		return []serverStatus{list[0].forJSON()}, nil
	}
	var list []serverStatus
	for _, s := range a.Status() {
		list = append(list, s.forJSON())
	}
	return list, nil
}

func (s Status) forJSON() serverStatus {
	j := serverStatus{
		Labels: append([]string{}, s.Labels...), State: s.State.String(), Since: s.Since.UTC().Truncate(time.Second), Kind: s.Kind.String(), Server: s.Server,
		InFlight: s.InFlight, Functions: s.Functions, Skills: s.Skills,
		Resources: s.Resources, Prompts: s.Prompts, Notes: s.Notes,
	}
	if s.Err != nil {
		j.Reason = s.Err.Error()
	}
	if !s.Retry.IsZero() {
		at := s.Retry.UTC().Truncate(time.Second)
		j.Retry = &at
	}
	if !s.LastKnown.IsZero() {
		at := s.LastKnown.UTC().Truncate(time.Second)
		j.LastKnown = &at
	}
	for _, q := range s.Quarantined {
		j.Quarantined = append(j.Quarantined, quarantine{foreignName(q.Tool), string(q.Reason), q.Hash, q.Difference})
	}
	return j
}

type refreshed struct {
	Label string `json:"label" jsonschema:"Namespace of the server."`
}

func (a *Aggregator) manageRefresh(ctx context.Context, in refreshed) (string, error) {
	if err := a.Refresh(ctx, in.Label); err != nil {
		return "", err
	}
	return "Done.", nil
}

type accepted struct {
	Label string `json:"label" jsonschema:"Namespace of the server."`
	Tool  string `json:"tool" jsonschema:"Name of the tool, function or skill, as status spells it."`
	Hash  string `json:"hash" jsonschema:"The hash that status shows beside the difference that was read."`
}

func (a *Aggregator) manageAccept(ctx context.Context, in accepted) (string, error) {
	switch {
	case in.Tool == "":
		return "", errNoTool
	case in.Hash == "":
		return "", errNoHash
	}
	if err := a.AcceptQuarantined(ctx, in.Label, pin.Quarantine{Tool: in.Tool, Hash: in.Hash}); err != nil {
		return "", err
	}
	return "Done.", nil
}

var (
	errNoTool = &registry.Error{Kind: registry.InvalidArguments, Message: "The argument `tool` is empty.", Hint: "Accept one tool at a time."}
	errNoHash = &registry.Error{Kind: registry.InvalidArguments, Message: "The argument `hash` is empty.", Hint: "Pass the one that the status shows beside the difference."}
)
