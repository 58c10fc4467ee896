package manifest_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

const withoutState = `cash_version: "0.1.1"
last_updated: "2026-04-24"
publisher: "Example"
endpoint: "https://mcp.example/mcp"
namespaces:
  - suggested: "orders"
    description: "Orders."
`

// State is written as x-state in both forms, and read back.
func TestState(t *testing.T) {
	m, err := manifest.Parse([]byte(withoutState))
	if err != nil || m.State != nil {
		t.Fatal(m, err)
	}
	m.State = []manifest.State{
		{Name: "sessions", Kept: manifest.KeptProcess, Description: "Another replica answers 404."},
		{Name: "plans", Kept: manifest.KeptShared, Description: "One for all replicas."},
	}
	text, err := m.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if want := withoutState + `x-state:
  - name: "sessions"
    kept: process
    description: "Another replica answers 404."
  - name: "plans"
    kept: shared
    description: "One for all replicas."
`; string(text) != want {
		t.Errorf("%s", text)
	}
	object, err := m.MarshalJSON()
	if err != nil || !strings.Contains(string(object), `"x-state":[{"name":"sessions","kept":"process",`) {
		t.Errorf("%s, %v", object, err)
	}
	for _, data := range [][]byte{text, object} {
		if back, err := manifest.Parse(data); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%+v, %v, want %+v", back, err, m)
		}
	}
}

// What another server means by x-state is ignored, as other keys are.
func TestForeignState(t *testing.T) {
	many := "\n" + strings.Repeat("  - {name: a, kept: shared, description: b}\n", manifest.MaxStates+1)
	for _, value := range []string{
		" stateless", " 7", " {a: b}", " [a]", " [[]]", " null", " []", " [{name: a, kept: shared}]",
		" [{name: a, kept: elsewhere, description: b}]", " [{name: [a], kept: shared, description: b}]",
		` [{name: "\u0007", kept: shared, description: b}]`, many,
	} {
		if m, err := manifest.Parse([]byte(withoutState + "x-state:" + value + "\n")); err != nil || m.State != nil {
			t.Errorf("%.60q: %+v, %v", value, m, err)
		}
	}
}

// A state that cannot be published is told with its place.
func TestInvalidState(t *testing.T) {
	good := manifest.State{Name: "plans", Kept: manifest.KeptShared, Description: "One."}
	for field, list := range map[string][]manifest.State{
		"x-state":                make([]manifest.State, manifest.MaxStates+1),
		"x-state[0].name":        {{Kept: good.Kept, Description: "One."}},
		"x-state[1].kept":        {good, {Name: "quota", Kept: "all", Description: "One."}},
		"x-state[1].description": {good, {Name: "quota", Kept: good.Kept}},
	} {
		m, err := manifest.Parse([]byte(withoutState))
		if err != nil {
			t.Fatal(err)
		}
		m.State = list
		var e *manifest.Error
		if err := m.Check(); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
