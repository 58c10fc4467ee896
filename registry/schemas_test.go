package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/registry"
)

// price decodes itself from a text and brings its schema.
type price struct{ cents int }

func (price) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Description: "An amount such as 12.50.", Pattern: `^[0-9]+\.[0-9]{2}$`}
}

func (p *price) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	var whole, cents int
	if _, err := fmt.Sscanf(text, "%d.%d", &whole, &cents); err != nil {
		return err
	}
	if p.cents = 100*whole + cents; p.cents == 0 {
		return errors.New("nothing is free")
	}
	return nil
}

type sale struct {
	Price  price            `json:"price" jsonschema:"What it costs."`
	Rebate *price           `json:"rebate,omitempty" cash:"example=1.00"`
	Took   time.Duration    `json:"took,omitempty" cash:"default=0"`
	Others map[string]price `json:"others,omitempty"`
}

// seconds is a schema for durations, which decode from numbers.
const seconds = `{"type":"integer","description":"Nanoseconds.","minimum":1}`

func sell(_ context.Context, in sale) (string, error) {
	return fmt.Sprint(in.Price.cents, in.Took), nil
}

func TestTypeSchema(t *testing.T) {
	type sale struct {
		Price  price                    `json:"price" jsonschema:"What it costs."`
		Rebate *price                   `json:"rebate,omitempty" cash:"example=1.00"`
		Took   time.Duration            `json:"took,omitempty" cash:"default=5"`
		More   map[string]time.Duration `json:"more,omitempty"`
	}
	ran := 0
	sell := func(_ context.Context, in sale) (string, error) {
		ran++
		return fmt.Sprint(in.Price.cents, in.Took), nil
	}
	plain := registry.Func("plain", "", sell)
	f := registry.Func("f", "", sell, registry.TypeSchema[time.Duration](json.RawMessage(seconds)), registry.ReadOnly)
	s := registry.StreamFunc("s", "", func(ctx context.Context, in sale, _ func(registry.Progress) error) (string, error) {
		return sell(ctx, in)
	}, registry.TypeSchema[time.Duration](&jsonschema.Schema{Type: "integer", Description: "Nanoseconds.", Minimum: jsonschema.Ptr(1.0)}))
	const head = `{"type":"object","properties":{"price":{"type":"string","description":"What it costs.","pattern":"^[0-9]+\\.[0-9]{2}$"},` +
		`"rebate":{"type":["string","null"],"description":"An amount such as 12.50.","pattern":"^[0-9]+\\.[0-9]{2}$","examples":["1.00"]},"took":{"type":"integer",`
	const told = `"description":"Nanoseconds.","default":5,"minimum":1},"more":{"type":"object","additionalProperties":` +
		`{"type":"integer","description":"Nanoseconds.","minimum":1}}},"required":["price"],"additionalProperties":false}`
	if got := string(f.InputSchema()); got != head+told || string(s.InputSchema()) != got {
		t.Errorf("\n got %s\n and %s\nwant %s", got, s.InputSchema(), head+told)
	}
	if got := string(plain.InputSchema()); !strings.Contains(got, `"took":{"type":["string","integer"],"description":"A duration such as 90s, 5m or 1h30m; a number is in nanoseconds.","default":5}`) {
		t.Errorf("the schema is held against another function: %s", got)
	}
	if !f.ReadOnly() {
		t.Error("the other options are lost")
	}
	p, _ := pipelineOf(f, nil)
	for args, want := range map[string]string{
		`{"price":"12.50"}`:                   "1250 5ns",
		`{"price":"12.50","rebate":null}`:     "1250 5ns",
		`{"price":"12.5"}`:                    "price: must match the pattern",
		`{"price":"0.00"}`:                    "price: is not a valid price",
		`{"price":"1.00","took":0}`:           "took: must be at least 1",
		`{"price":"1.00","more":{"a":0}}`:     "more.a: must be at least 1",
		`{"price":"1.00","took":1.0}`:         "took: is not a valid Duration",
		`{"price":"1.00","rebate":"0.00"}`:    "rebate: is not a valid price",
		`{"price":"1.00","took":7,"more":{}}`: "100 7ns",
	} {
		before := ran
		res, err := run(p, "f", args)
		switch {
		case err != nil && (!strings.Contains(err.Error(), want) || ran != before):
			t.Errorf("%s: %v", args, err)
		case err == nil && res.Text() != want:
			t.Errorf("%s: %q, want %q", args, res.Text(), want)
		}
	}
}

// bringsAll is the whole input and brings its schema.
type bringsAll struct {
	N int `json:"n"`
}

func (*bringsAll) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"n": {Type: "integer", Minimum: jsonschema.Ptr(1.0)}}}
}

type bringsText struct{ N int }

func (bringsText) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

type bringsNames map[string]int

func (bringsNames) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a b": {}}}
}

func TestSchemerAsInput(t *testing.T) {
	f := registry.Func("f", "", func(_ context.Context, in *bringsAll) (string, error) { return fmt.Sprint(in.N), nil })
	p, _ := pipelineOf(f, nil)
	if res, err := run(p, "f", `{"N":3}`); err != nil || res.Text() != "3" {
		t.Errorf("%v, %v", res, err)
	}
	if _, err := run(p, "f", `{"n":0}`); err == nil || !strings.Contains(err.Error(), "n: must be at least 1") {
		t.Error(err)
	}
	if params := f.Params(); len(params) != 1 || params[0].Rules != "Minimum: 1." || !f.Open() {
		t.Errorf("%+v", params)
	}
	for want, make := range map[string]func(){
		`must have "type": "object"`: func() {
			registry.Func("g", "", func(context.Context, bringsText) (string, error) { return "", nil })
		},
		`parameter "a b"`: func() {
			registry.Func("g", "", func(context.Context, bringsNames) (string, error) { return "", nil })
		},
	} {
		if text := mustPanic(t, make); !strings.Contains(text, want) || !strings.Contains(text, "schemas_test.go:") {
			t.Errorf("%s, want %s", text, want)
		}
	}
}

func TestTypeSchemaMistakes(t *testing.T) {
	duration := registry.TypeSchema[time.Duration](json.RawMessage(seconds))
	for name, tt := range map[string]struct {
		opts []registry.FuncOption
		want string
	}{
		"twice":          {[]registry.FuncOption{duration, duration}, "TypeSchema[time.Duration] is given twice"},
		"not in it":      {[]registry.FuncOption{registry.TypeSchema[time.Time](json.RawMessage(seconds))}, "TypeSchema or Enum is given for type time.Time, which does not occur"},
		"a pointer":      {[]registry.FuncOption{registry.TypeSchema[*price](json.RawMessage(seconds))}, "TypeSchema[*registry_test.price]: give the schema of registry_test.price"},
		"no schema":      {[]registry.FuncOption{registry.TypeSchema[price](nil)}, "TypeSchema[registry_test.price]: the schema is empty"},
		"another thing":  {[]registry.FuncOption{registry.TypeSchema[price]("string")}, "TypeSchema[registry_test.price]: a schema is a json.RawMessage"},
		"no JSON":        {[]registry.FuncOption{registry.TypeSchema[price](json.RawMessage("{"))}, "field Price: type registry_test.price: its schema: reading schema"},
		"does not move":  {[]registry.FuncOption{registry.TypeSchema[price](json.RawMessage(`{"$id":"a"}`))}, "field Price: type registry_test.price: its schema: schema at \"#/$id\""},
		"breaks the tag": {[]registry.FuncOption{duration}, "field Took: cash tag \"default=0\": default breaks the field's own rules"},
	} {
		text := mustPanic(t, func() { registry.Func("f", "", sell, tt.opts...) })
		if !strings.Contains(text, `function "f"`) || !strings.Contains(text, "schemas_test.go:") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %s", name, text)
		}
	}
	const elsewhere = "TypeSchema[time.Duration] is an option of Func and StreamFunc"
	for name, make := range map[string]func(){
		"RawFunc": func() { _, _ = registry.RawFunc("f", "", nil, echoRaw, duration) },
		"With":    func() { tool("f", "").With("", duration) },
	} {
		if text := mustPanic(t, make); !strings.Contains(text, elsewhere) {
			t.Errorf("%s: %s", name, text)
		}
	}
	handler := func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }
	if _, err := registry.RemoteFunc("f", "", registry.Remote{Handler: handler}, duration); err == nil || !strings.Contains(err.Error(), elsewhere) {
		t.Errorf("RemoteFunc: %v", err)
	}
}

// TestSchemas holds, over the schemas of the tree's fixtures, that jsonschema-go
// keeps everything but what Schemas says is lost.
func TestSchemas(t *testing.T) {
	n := 0
	for _, file := range []string{
		"../cash/catalog/testdata/demo.json", "../examples/shop/testdata/catalog.json", "../internal/bench/recall/testdata/town/tools.jsonl",
		"../internal/bench/tokens/catalogs/everything.json", "../internal/bench/tokens/catalogs/files.json",
		"../internal/bench/tokens/catalogs/memory.json", "../internal/bench/tokens/catalogs/shop.json",
	} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range schemasIn(t, data) {
			n++
			f, err := registry.RawFunc("f", "", raw, echoRaw, registry.OutputSchema(raw))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			input, output, err := f.Schemas()
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if want := kept(t, raw); !reflect.DeepEqual(kept(t, input), want) || !reflect.DeepEqual(kept(t, output), want) {
				t.Errorf("%s:\n got %v\nwant %v", file, kept(t, input), want)
			}
			if input.Title = "mine"; strings.Contains(string(f.InputSchema()), "mine") || output.Title == "mine" {
				t.Error("the schema is shared")
			}
			if _, err := registry.RawFunc("f", "", input, echoRaw); err != nil {
				t.Errorf("%s: the way back: %v", file, err)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d schemas", n)
	}
}

// schemasIn finds the schemas of tools in JSON documents.
func schemasIn(t *testing.T, data []byte) (list []json.RawMessage) {
	var find func(raw json.RawMessage)
	find = func(raw json.RawMessage) {
		var members map[string]json.RawMessage
		var elems []json.RawMessage
		_ = json.Unmarshal(raw, &members)
		_ = json.Unmarshal(raw, &elems)
		for name, value := range members {
			switch name {
			case "inputSchema", "outputSchema", "input_schema", "output_schema", "parameters":
				if bytes.Contains(value, []byte(`"object"`)) {
					list = append(list, value)
				}
			default:
				find(value)
			}
		}
		for _, value := range elems {
			find(value)
		}
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		find(raw)
	}
	return list
}

// kept is what jsonschema-go keeps of a schema: {} is true, and what is empty or
// false says nothing.
func kept(t *testing.T, schema any) any {
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return fold(v)
}

func fold(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = fold(value)
			if list, ok := value.([]any); ok && len(list) == 0 {
				delete(v, key)
			}
		}
		if len(v) == 0 {
			return true
		}
		if len(v) == 1 && v["not"] == true {
			return false
		}
	case []any:
		for i := range v {
			v[i] = fold(v[i])
		}
	}
	return v
}

func TestSchemasOfFunctions(t *testing.T) {
	input, output, err := registry.Func("f", "", greet).Schemas()
	if err != nil || output.Properties["text"].Type != "string" || input.Type != "object" || input.Properties["name"].Description != "Who is greeted." || !slices.Equal(input.Required, []string{"name"}) {
		t.Errorf("%v, %v, %v", input, output, err)
	}
	_, output, err = tool("f", "", registry.OutputSchema(json.RawMessage(`{"type":"string","minLength":2}`))).Schemas()
	if err != nil || *output.Properties["text"].MinLength != 2 {
		t.Errorf("%v, %v", output, err)
	}
	_, output, err = registry.Func("f", "", func(context.Context, struct{}) (any, error) { return nil, nil }).Schemas()
	if err != nil || output != nil {
		t.Errorf("%v, %v", output, err)
	}
	old, err := registry.RawFunc("f", "", json.RawMessage(`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`), echoRaw)
	if err != nil {
		t.Fatal(err)
	}
	if input, _, err := old.Schemas(); err == nil || input != nil || !strings.Contains(err.Error(), `function "f": input schema`) {
		t.Errorf("%v, %v", input, err)
	}
}

func ExampleSchemer() {
	type order struct {
		Price price `json:"price"`
	}
	f := registry.Func("order", "Order something.", func(_ context.Context, in order) (string, error) { return "", nil })
	fmt.Println(string(f.InputSchema()))
	// Output:
	// {"type":"object","properties":{"price":{"type":"string","description":"An amount such as 12.50.","pattern":"^[0-9]+\\.[0-9]{2}$"}},"required":["price"],"additionalProperties":false}
}

func ExampleTypeSchema() {
	type wait struct {
		For time.Duration `json:"for"`
	}
	f := registry.Func("wait", "Wait for a while.", func(_ context.Context, in wait) (string, error) { return in.For.String(), nil },
		registry.TypeSchema[time.Duration](&jsonschema.Schema{Type: "integer", Description: "Nanoseconds."}))
	input, _, err := f.Schemas()
	fmt.Println(input.Properties["for"].Description, err)
	// Output: Nanoseconds. <nil>
}
