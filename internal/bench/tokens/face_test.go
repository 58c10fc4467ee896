package main

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

func recordedSet(t *testing.T, servers ...string) *set {
	t.Helper()
	tools, err := recordedTools(servers...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSet(tools)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bill is the cost of the definitions alone.
func bill(t *testing.T, face cost.Face, s *set, o *cost.PlayOptions) *cost.Bill {
	t.Helper()
	b, err := cost.Play(t.Context(), face, s.registry, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPlainIsAsRecorded: a model is told of the tools what their own servers
// say, to the byte.
func TestPlainIsAsRecorded(t *testing.T) {
	s := recordedSet(t, servers...)
	b, sum := bill(t, cost.Plain, s, recorded(s)), 0
	for _, tool := range s.tools {
		var d struct {
			Name        string          `json:"name"`
			Description string          `json:"description,omitempty"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if err := json.Unmarshal(tool.recorded, &d); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(asJSON(d), d.InputSchema) {
			t.Errorf("%s: the schema is not the one that was recorded: %s", tool.name, d.InputSchema)
		}
		sum += card.CL100K().Count(string(asJSON(d)), math.MaxInt)
	}
	if b.Definitions != sum || len(s.tools) != 36 {
		t.Errorf("%d tools cost %d tokens in a list, and %d one by one", len(s.tools), b.Definitions, sum)
	}
	if b.Listed <= b.Definitions {
		t.Errorf("with titles, annotations and output schemas there are %d tokens, without %d", b.Listed, b.Definitions)
	}
}

// TestR2DefinitionsStayTheSame: three tools cost the same whatever is behind
// them, but for the line of instructions that names it.
func TestR2DefinitionsStayTheSame(t *testing.T) {
	small, large := recordedSet(t, "memory"), recordedSet(t, servers...)
	for face, most := range map[cost.Face]int{cost.CaSH: 450, cost.Gateway: 600} { // tokens of tools/list
		a, b := bill(t, face, small, nil), bill(t, face, large, nil)
		if a.Listed != b.Listed || a.Listed > most {
			t.Errorf("%s: tools/list has %d and %d tokens, want the same and at most %d", face, a.Listed, b.Listed, most)
		}
		if more := b.Definitions - a.Definitions; more <= 0 || more > 20 {
			t.Errorf("%s: definitions have %d more tokens, want a few more with instructions that name more", face, more)
		}
	}
}

// TestLosingCasesAreThere: the tasks have some that listing all tools is best at.
func TestLosingCasesAreThere(t *testing.T) {
	last := tasks[len(tasks)-1]
	var called []string
	for _, s := range last.steps {
		called = append(called, s.tool)
	}
	for _, tool := range recordedSet(t, servers...).tools {
		if !slices.Contains(called, tool.path()) && tool.name != "simulate-research-query" {
			t.Errorf("the last task does not call %s", tool.path())
		}
	}
	paid := allMeasured(t).paid[len(tasks)-1]
	for i, b := range paid[1:] {
		if is, of := b.Whole(), paid[0].Whole(); is.Once <= of.Once || is.Input <= of.Input {
			t.Errorf("%s calls every tool for %+v, and %s for %+v", faces[i+1].name, is, faces[0].name, of)
		}
	}
}

// TestWaysThatDoNotLeadThere: a model that does not get what it wants is an
// error, behind every face.
func TestWaysThatDoNotLeadThere(t *testing.T) {
	s := recordedSet(t, "memory")
	for _, tt := range []struct {
		step step
		text string
	}{
		{step{tool: "memory.open_nodes", args: `{"names":["Ada"]}`, want: []string{"nonsense"}}, `the model has not read "nonsense"`},
		{step{tool: "memory.open_nodes", args: `{"names":["nobody"]}`}, "no answer to this call"},
		{step{tool: "memory.open_nodes", args: `{"names":7}`}, "open_nodes"},
		{step{tool: "memory.forget", args: `{}`}, "memory.forget"},
	} {
		for _, f := range faces {
			_, err := bills(t.Context(), s, &task{steps: []step{tt.step}}, []column{f}, recorded(s))
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s, %s: error %v, want %q", f.name, tt.step.tool, err, tt.text)
			}
		}
	}
	lost := step{tool: "memory.open_nodes", args: `{"names":["Ada"]}`, query: "zebra"}
	for _, f := range faces[1:3] {
		if _, err := bills(t.Context(), s, &task{steps: []step{lost}}, []column{f}, nil); err == nil || !strings.Contains(err.Error(), "zebra") {
			t.Errorf("error %v, want one about the query", err)
		}
	}
}

// TestRecordedDocuments: each recording is a document of package catalog by
// itself.
func TestRecordedDocuments(t *testing.T) {
	for _, server := range servers {
		data, err := recordings.ReadFile("catalogs/" + server + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(data) || bytes.Contains(data, []byte("/tmp/")) {
			t.Errorf("%s: not JSON, or with the folder of who recorded it", server)
		}
	}
}
