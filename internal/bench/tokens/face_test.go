package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
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

// TestPlainIsAsRecorded: a model is told of the tools what their own servers
// say, to the byte.
func TestPlainIsAsRecorded(t *testing.T) {
	s := recordedSet(t, servers...)
	talk, err := connect(t.Context(), newPlain(s).server())
	if err != nil {
		t.Fatal(err)
	}
	defer talk.session.Close()
	sum := 0
	for _, tool := range s.tools {
		d, err := read(tool.recorded)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(tool.recorded, d.InputSchema) || !bytes.Contains(asJSON(d), d.InputSchema) {
			t.Errorf("%s: the schema is not the one that was recorded: %s", tool.name, d.InputSchema)
		}
		sum += count(string(asJSON(d)))
	}
	if talk.definitions != sum || len(s.tools) != 36 {
		t.Errorf("%d tools cost %d tokens in a list, and %d one by one", len(s.tools), talk.definitions, sum)
	}
	if talk.listed() <= talk.definitions {
		t.Errorf("with titles, annotations and output schemas there are %d tokens, without %d", talk.listed(), talk.definitions)
	}
}

// TestR2DefinitionsStayTheSame: three tools cost the same whatever is behind
// them, but for the line of instructions that names it.
func TestR2DefinitionsStayTheSame(t *testing.T) {
	small, large := recordedSet(t, "memory"), recordedSet(t, servers...)
	for _, f := range []struct {
		name string
		over func(*set) face
		most int // tokens of tools/list
	}{{"cash", newCash, 450}, {"gateway", newGateway, 600}} {
		var listed, definitions []int
		for _, s := range []*set{small, large} {
			talk, err := connect(t.Context(), f.over(s).server())
			if err != nil {
				t.Fatal(err)
			}
			defer talk.session.Close()
			listed, definitions = append(listed, talk.listed()), append(definitions, talk.definitions)
		}
		if listed[0] != listed[1] || listed[0] > f.most {
			t.Errorf("%s: tools/list has %v tokens, want the same and at most %d", f.name, listed, f.most)
		}
		if more := definitions[1] - definitions[0]; more <= 0 || more > 20 {
			t.Errorf("%s: definitions have %v tokens, want a few more with instructions that name more", f.name, definitions)
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
		if is, of := b.whole(), paid[0].whole(); is.fresh <= of.fresh || is.input <= of.input {
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
			_, err := play(t.Context(), f.over, s, &task{steps: []step{tt.step}})
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s, %s: error %v, want %q", f.name, tt.step.tool, err, tt.text)
			}
		}
	}
	lost := step{tool: "memory.open_nodes", args: `{"names":["Ada"]}`, query: "zebra"}
	for _, over := range []func(*set) face{newCash, newGateway} {
		if _, err := play(t.Context(), over, s, &task{steps: []step{lost}}); err == nil || !strings.Contains(err.Error(), "zebra") {
			t.Errorf("error %v, want one about the query", err)
		}
	}
}

// TestHandles: numbers do not depend on what is random.
func TestHandles(t *testing.T) {
	a, b := "art-AAAAAAAAAAAAAAAAAAAAAAAAAA", "art-Z2Y3X4W5V6U7T2S3R4Q5P6O7N2"
	if maskHandles("<"+a+">") != maskHandles("<"+b+">") || maskHandles(a) == a || maskHandles("art-SHORT") != "art-SHORT" {
		t.Errorf("%q, %q, %q", maskHandles(a), maskHandles(b), maskHandles("art-SHORT"))
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
