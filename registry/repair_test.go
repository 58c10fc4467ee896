package registry_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestW30RepairVectors holds that the fixtures' arguments arrive as they say. What
// is no object even then is refused, because a function takes nothing else.
func TestW30RepairVectors(t *testing.T) {
	file, err := os.Open("testdata/args_repair.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var v struct {
			Args, Result, Schema json.RawMessage
			Repairs              []registry.Repair
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		got, repairs, err := registry.RepairArguments(v.Schema, v.Args)
		// The fixtures' reader takes NaN for a number; ours refuses what is not JSON.
		noObject := !bytes.HasPrefix(v.Result, []byte("{"))
		if noObject && string(v.Args) != "null" {
			if err == nil {
				t.Errorf("%s is taken as %s", v.Args, got)
			}
			continue
		}
		if noObject {
			continue // a call without arguments
		}
		if !equalJSON(t, got, v.Result) || !slices.Equal(repairs, v.Repairs) {
			t.Errorf("%s becomes %s by %v (%v), want %s by %v", v.Args, got, repairs, err, v.Result, v.Repairs)
		}
	}
	if n != 34 {
		t.Errorf("%d fixtures", n)
	}
}

func equalJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Errorf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Errorf("%s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// TestRepairThroughPipeline holds that a call works with repair and is refused
// without, that nothing is lost in numbers, and that what was done is said.
func TestRepairThroughPipeline(t *testing.T) {
	type in struct {
		Limit int64  `json:"max_items"`
		Note  string `json:"note,omitempty"`
		Deep  bool   `json:"deep,omitempty"`
	}
	reg := registry.New(nil)
	var got in
	reg.Namespace("", "").Add(registry.Func("f", "", func(_ context.Context, v in) (string, error) { got = v; return "", nil }))
	var repairs []registry.Repair
	note := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			repairs = c.Repairs
			return next(ctx, c)
		}
	}
	arguments := json.RawMessage(`"{\"maxItems\":\" 9007199254740993\",\"note\":\"42\",\"deep\":\"true\"}"`)
	strict := registry.NewPipeline(reg, nil)
	if _, err := strict.Call(context.Background(), &registry.Request{Function: "f", Arguments: arguments}); err == nil {
		t.Error("without repair the call goes through")
	}
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Repair: true, Middleware: []registry.Middleware{note}})
	if _, err := p.Call(context.Background(), &registry.Request{Function: "f", Arguments: arguments}); err != nil {
		t.Fatal(err)
	}
	if want := (in{9007199254740993, "42", true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want := []registry.Repair{{Path: "$", Rule: "parse_stringified_object"}, {Path: "$.max_items", Rule: "str_to_integer"}, {Path: "$.deep", Rule: "str_to_boolean"}}
	if !slices.Equal(repairs, want) {
		t.Errorf("the repairs are %v, want %v", repairs, want)
	}
	for _, bad := range []string{`{"max_items":"4 2"}`, `{"max_items":"0x10"}`, `{"max_items":["1"]}`, `"[1]"`, `"{"`, `{"max_items":1,"maxItems":"2"}`, `{"unknown":"1"}`} {
		_, err := p.Call(context.Background(), &registry.Request{Function: "f", Arguments: json.RawMessage(bad)})
		wantKind(t, err, registry.InvalidArguments)
		if err != nil && strings.Contains(err.Error(), "0x10") {
			t.Errorf("the error repeats a value: %v", err)
		}
	}
}

// TestW30RepairByteOrderMark holds that a byte order mark and white space before an object in a text are dropped.
func TestW30RepairByteOrderMark(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	for _, args := range []string{`"\ufeff{\"a\":1}"`, `"\ufeff \n{\"a\":1}\t"`, `" \ufeff{\"a\":1}"`, "\"\ufeff{\\\"a\\\":1}\""} {
		got, repairs, err := registry.RepairArguments(schema, json.RawMessage(args))
		if err != nil || string(got) != `{"a":1}` || !slices.Equal(repairs, []registry.Repair{{Path: "$", Rule: "parse_stringified_object"}}) {
			t.Errorf("%s becomes %s by %v, %v", args, got, repairs, err)
		}
	}
	if got, _, err := registry.RepairArguments(schema, json.RawMessage(`"\ufeff\ufeff{\"a\":1}"`)); err == nil {
		t.Errorf("two marks become %s", got)
	}
}
