package registry_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/doc/comment"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

var update = flag.Bool("update", false, "rewrite the table of types and the list of mistakes")

// The types of the table.
type (
	Celsius  float64
	Label    string
	Size     int  // without names
	Priority int  // with a String method
	Status   int  // with a String method, and registered by Enum
	Level    int8 // with MarshalText and UnmarshalText
	UUID     [16]byte
	Raw16    [16]byte
	Money    struct{ cents int64 } // with JSON methods and a schema of its own
	Opaque   struct{ text string } // with JSON methods alone
	Point    struct {
		X int `json:"x"`
		Y int `json:"y"`
	}
	Audit struct {
		By string `json:"by"`
	}
	Doc struct {
		Audit
		Title string `json:"title" jsonschema:"What it is called."`
	}
	Tree struct {
		Name string `json:"name"`
		Kids []Tree `json:"kids,omitempty"`
	}
	List struct {
		Next *List `json:"next"`
	}
	Nested map[string]Nested
	// Optional is a generic wrapper with a schema of its own.
	Optional[T any] struct {
		Set   bool
		Value T
	}
	Pair[A, B any] struct {
		A A `json:"a"`
		B B `json:"b"`
	}
	Hidden struct {
		Shown int `json:"shown"`
		//lint:ignore U1000 what is not exported is left out
		hidden int
	}
	Self *Self
)

func (p Priority) String() string { return nameOf(int(p), "low", "normal", "high") }
func (s Status) String() string   { return nameOf(int(s), "open", "paid") }

func nameOf(i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("Value(%d)", i)
	}
	return names[i]
}

var levelNames = []string{"debug", "info", "error"}

func (l Level) MarshalText() ([]byte, error) {
	if l < 0 || int(l) >= len(levelNames) {
		return nil, fmt.Errorf("no level %d", l)
	}
	return []byte(levelNames[l]), nil
}

func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("no level")
}

func (u UUID) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

func (u *UUID) UnmarshalText(text []byte) error {
	n, err := hex.Decode(u[:], bytes.ReplaceAll(text[:min(len(text), 36)], []byte("-"), nil))
	if err == nil && n != len(u) {
		err = errors.New("no UUID")
	}
	return err
}

func (Money) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^[0-9]+\.[0-9]{2}$`, Description: "Euros, such as 12.50."}
}

func (m Money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"%d.%02d"`, m.cents/100, m.cents%100), nil
}

func (m *Money) UnmarshalJSON(data []byte) error {
	var whole, cents int64
	if _, err := fmt.Sscanf(string(data), `"%d.%d"`, &whole, &cents); err != nil {
		return err
	}
	m.cents = 100*whole + cents
	return nil
}

func (o Opaque) MarshalJSON() ([]byte, error)     { return json.Marshal(o.text) }
func (o *Opaque) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &o.text) }

func (Optional[T]) JSONSchema() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	s.Types, s.Type = []string{s.Type, "null"}, ""
	return s
}

func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Set = string(data) != "null"
	if !o.Set {
		return nil
	}
	return json.Unmarshal(data, &o.Value)
}

// one is an input with one field.
type one[T any] struct {
	V T `json:"v"`
}

// row returns the entry of T as a field of an input, and as a result. Each of values is passed in, and comes out.
func row[T any](values ...string) entry {
	return rowOf(typeText(reflect.TypeFor[T]()), func(in one[T]) T { return in.V }, values)
}

func typeText(t reflect.Type) string {
	return strings.NewReplacer("github.com/cash-mcp/go-sdk/registry_test.", "", "registry_test.", "", "interface {}", "any").Replace(t.String())
}

// An entry is one type of the table.
type entry struct {
	name, in, out string
	values        []string // as given and as written
	err           error
}

func rowOf[In, Out any](name string, f func(In) Out, values []string, opts ...registry.FuncOption) entry {
	e := entry{name: name}
	var in *registry.Function
	e.in = refusal(func() {
		in = registry.Func("f", "", func(context.Context, In) (string, error) { return "", nil }, opts...)
	})
	if in != nil {
		e.in = fieldSchema(in.InputSchema())
	}
	var out *registry.Function
	e.out = refusal(func() {
		out = registry.Func("f", "", func(context.Context, struct{}) (o one[Out], err error) { return o, nil })
	})
	if out != nil {
		if e.out = fieldSchema(out.OutputSchema()); e.out == "" {
			e.out = "no schema; the JSON of encoding/json"
		}
	}
	if in == nil || out == nil {
		return e
	}
	p, _ := pipelineOf(registry.Func("f", "", func(_ context.Context, in In) (one[Out], error) { return one[Out]{f(in)}, nil }, opts...), nil)
	for _, value := range values {
		res, err := run(p, "f", `{"v":`+value+`}`)
		text := value
		switch {
		case err == nil:
			if written := strings.TrimSuffix(strings.TrimPrefix(res.Text(), `{"v":`), "}"); written != value {
				text += " is written as " + written
			}
		default:
			text = value + " is refused: " + strings.TrimPrefix(err.Error(), "Invalid arguments: ")
		}
		e.values = append(e.values, text)
		if err == nil {
			e.check(out, res)
		}
	}
	return e
}

// check holds a result to its own schema.
func (e *entry) check(f *registry.Function, res *registry.Result) {
	if _, err := f.Typed(context.Background(), res); err != nil {
		e.err = fmt.Errorf("%s: %s does not fit %s: %w", e.name, res.Text(), f.OutputSchema(), err)
	}
}

// refusal returns what make panics with, without the place in the table.
func refusal(make func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			_, text, _ = strings.Cut(fmt.Sprint(p), "): ")
			if _, after, ok := strings.Cut(text, ": field V: "); ok {
				text = after
			}
			text = "refused: " + strings.ReplaceAll(text, "registry_test.", "")
		}
	}()
	make()
	return ""
}

// fieldSchema returns the schema of the field, and the definitions beside it.
func fieldSchema(input []byte) string {
	text := string(strictjson.Member(strictjson.Member(input, "properties"), "v"))
	if defs := strictjson.Member(input, "$defs"); defs != nil {
		text += ` with "$defs":` + string(defs)
	}
	return text
}

func typeTable() []entry {
	return []entry{
		row[string](`"a"`, `1`),
		row[bool](`true`),
		row[int](`9007199254740993`, `1.0`),
		row[int8](`127`, `128`),
		row[uint](`0`, `-1`),
		row[uint64](`18446744073709551615`),
		row[float32](`0.5`),
		row[float64](`1e300`, `1e999`),
		row[complex128](),
		row[*int](`1`, `null`),
		row[**string](`"a"`, `null`),
		row[any](`{"a":[1.50]}`),
		row[json.RawMessage](`{"a": 1.50}`),
		row[json.Number](`1.50`, `"1"`),
		row[[]string](`["a"]`, `[]`, `null`),
		row[[]byte](`"aGk="`, `"?"`),
		row[[3]int](`[1,2,3]`, `[1]`),
		row[[][]int](`[[1],[]]`),
		row[map[string]int](`{"a":1}`),
		row[map[Label]bool](`{"a":true}`),
		row[map[int]string](`{"-7":"a"}`, `{"07":"a"}`),
		row[map[uint8]bool](`{"255":true}`, `{"256":true}`),
		row[map[netip.Addr]int](`{"::1":1}`, `{"x":1}`, `{"::A":1,"::a":2}`),
		row[map[Level]int](`{"info":1}`),
		row[map[bool]int](),
		row[map[string]any](`{"a":null}`),
		row[Celsius](`36.6`),
		row[Label](`"a"`),
		row[Size](`3`),
		row[Priority](`1`, `"normal"`),
		rowOf("Status, with Enum(Open, Paid)", func(in one[Status]) Status { return in.V }, []string{`"paid"`, `1`, `"lost"`, `2`}, registry.Enum(Status(0), Status(1))),
		row[Level](`"info"`, `"loud"`, `1`),
		row[time.Month](`3`),
		row[slog.Level](`"WARN"`),
		row[time.Time](`"2026-01-31T09:30:00Z"`, `"2026-01-31"`),
		rowOf("time.Time, with format=date", func(in struct {
			V time.Time `json:"v" cash:"format=date"`
		}) time.Time {
			return in.V
		}, []string{`"2026-01-31"`}),
		row[time.Duration](`"5m"`, `300000000000`, `"5 minutes"`),
		rowOf("time.Duration, with min=1s,max=1h", func(in struct {
			V time.Duration `json:"v" cash:"min=1s,max=1h"`
		}) time.Duration {
			return in.V
		}, []string{`"90s"`, `"2h"`}),
		row[url.URL](`"https://example.com/a?b=c"`, `"/a"`),
		row[netip.Addr](`"192.0.2.1"`, `"192.0.2"`),
		row[netip.Prefix](`"192.0.2.0/24"`),
		row[netip.AddrPort](`"[2001:db8::1]:80"`),
		row[net.IP](`"192.0.2.1"`),
		row[http.Header](`{"A":["b"]}`),
		row[sql.NullString](`"a"`, `null`),
		row[sql.NullInt64](`7`),
		row[sql.NullTime](`"2026-01-31T09:30:00Z"`),
		row[sql.Null[time.Duration]](`"5m"`, `null`),
		row[UUID](`"123e4567-e89b-12d3-a456-426614174000"`, `"123"`),
		row[Raw16](`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]`),
		row[*big.Int](`123456789012345678901234567890`),
		row[*big.Rat](`"0.5"`, `"1/3"`, `"1/0"`),
		row[*big.Float](`"2.5"`),
		row[Point](`{"x":1,"y":2}`, `{"X":1,"y":2}`),
		row[*Point](`null`),
		row[Doc](`{"by":"ana","title":"A"}`),
		row[struct{}](`{}`),
		row[Hidden](`{"shown":1}`),
		row[Tree](`{"name":"a","kids":[{"name":"b"}]}`, `{"name":"a","kids":[{}]}`),
		row[*List](`{"next":{"next":null}}`),
		row[Nested](`{"a":{"b":{}}}`),
		row[Pair[string, []Point]](`{"a":"x","b":[]}`),
		row[Optional[int]](`3`, `null`, `"3"`),
		row[Money](`"12.50"`, `"12"`),
		row[Opaque](`"a"`),
		rowOf("Opaque, with TypeSchema", func(in one[Opaque]) Opaque { return in.V }, []string{`"a"`, `1`},
			registry.TypeSchema[Opaque](json.RawMessage(`{"type":"string","maxLength":9}`))),
		rowOf(`int64, with json:",string"`, func(in struct {
			V int64 `json:"v,string"`
		}) int64 {
			return in.V
		}, []string{`"9007199254740993"`, `1`}),
		row[io.Reader](),
		row[fmt.Stringer](),
		row[error](),
		row[chan int](),
		row[func()](),
		row[Self](),
		row[mcp.Content](),
	}
}

// TestRecursiveArguments: a page of help shows a recursive type once, and its example is accepted.
func TestRecursiveArguments(t *testing.T) {
	f := registry.Func("f", "", func(_ context.Context, in one[Tree]) (string, error) { return in.V.Kids[0].Name, nil })
	p := f.Params()[0]
	if p.Type != "{name, kids?}" || len(p.Fields) != 2 || p.Fields[1].Type != "array of {name, kids?}" || p.Fields[1].Fields != nil {
		t.Errorf("%+v", p)
	}
	if e := string(f.Example(true)); e != `{"v": {"name": "<name>"}}` {
		t.Errorf("example %s", e)
	}
	if in, _, err := f.Schemas(); err != nil {
		t.Error(err)
	} else if _, err := in.Resolve(nil); err != nil {
		t.Errorf("jsonschema-go: %v", err)
	}
}

// A board and its posts contain each other.
type (
	Board struct {
		Title string `json:"title"`
		Posts []Post `json:"posts,omitempty"`
	}
	Post struct {
		Text  string `json:"text"`
		Board *Board `json:"board,omitempty"`
	}
)

// TestMutuallyRecursiveArguments: a page of help shows each of the types once on the way down.
func TestMutuallyRecursiveArguments(t *testing.T) {
	f := registry.Func("f", "", func(_ context.Context, in one[Board]) (string, error) { return in.V.Posts[0].Text, nil })
	p := f.Params()[0]
	if p.Type != "{title, posts?}" || len(p.Fields) != 2 {
		t.Fatalf("%+v", p)
	}
	posts := p.Fields[1]
	if posts.Type != "array of {text, board?}" || len(posts.Fields) != 2 || posts.Fields[1].Type != "{title, posts?} or null" || posts.Fields[1].Fields != nil {
		t.Errorf("%+v", posts)
	}
	if e := string(f.Example(true)); e != `{"v": {"title": "<title>"}}` {
		t.Errorf("example %s", e)
	}
}

// twice has twice as many fields as T.
type twice[T any] struct {
	A T            `json:"a"`
	B *T           `json:"b,omitempty" jsonschema:"The other."`
	M map[string]T `json:"m"`
}

type six[T any] = twice[twice[twice[twice[twice[twice[T]]]]]]

// TestSharedOutput: the schema of a result of many parts has each of its types once, and holds for results.
func TestSharedOutput(t *testing.T) {
	f := registry.Func("f", "", func(context.Context, struct{}) (out six[six[six[six[int]]]], err error) { return out, nil })
	text := string(f.OutputSchema())
	if n := strings.Count(text, `"properties"`); n != 24 || !strings.Contains(text, `"b":{"type":["null","object"],"$ref":"#/$defs/twice2","description":"The other."}`) {
		t.Fatalf("%d objects: %.2000s", n, text)
	}
	type small = twice[twice[twice[int]]]
	for _, s := range []*registry.Function{
		registry.Func("f", "", func(context.Context, struct{}) (out small, err error) { return out, nil }),
		registry.Func("f", "", func(context.Context, struct{}) (out []small, err error) { return out, nil }),
	} {
		if text := string(s.OutputSchema()); text == "" || strings.Contains(text, "$defs") {
			t.Errorf("a small schema is not written in one: %s", text)
		}
	}
	typed := func(f *registry.Function) {
		t.Helper()
		p, _ := pipelineOf(f, nil)
		res, err := run(p, "f", `{}`)
		if err == nil {
			_, err = f.Typed(t.Context(), res)
		}
		if err != nil {
			t.Error(err)
		}
	}
	typed(registry.Func("f", "", func(context.Context, struct{}) (out six[int], err error) { return out, nil }))
	typed(registry.Func("f", "", func(context.Context, struct{}) ([]six[int], error) {
		return []six[int]{{B: new(twice[twice[twice[twice[twice[int]]]]])}}, nil
	}))
}

// TestEmbeddedSharedOutput: a struct that is also embedded stays where it is.
func TestEmbeddedSharedOutput(t *testing.T) {
	type embedding struct {
		twice[int]
		More six[twice[int]] `json:"more"`
	}
	f := registry.Func("f", "", func(context.Context, struct{}) (out embedding, err error) { return out, nil })
	if text := string(f.OutputSchema()); !strings.Contains(text, `"$defs"`) {
		t.Errorf("%.2000s", text)
	}
}

// TestSamples: an example has a value for each type whose texts have a form.
func TestSamples(t *testing.T) {
	type in struct {
		Wait  time.Duration   `json:"wait"`
		Waits []time.Duration `json:"waits"`
		Maybe *time.Duration  `json:"maybe"`
		At    time.Time       `json:"at"`
		Day   string          `json:"day" cash:"format=date"`
		From  netip.Addr      `json:"from"`
		Level Level           `json:"level"`
		Site  url.URL         `json:"site"`
		Count int64           `json:"count,string"`
	}
	f := registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
	const want = `{"wait": "90s", "waits": ["90s"], "maybe": "90s", "at": "2026-01-31T09:30:00Z", "day": "2026-01-31", ` +
		`"from": "192.0.2.1", "level": "debug", "site": "https://example.com/a", "count": "12"}`
	if got := string(f.Example(false)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// Bucket has one text for many values, and Fickle another one each time.
type (
	Bucket int
	Fickle int
)

func (b Bucket) String() string {
	switch {
	case b == 0:
		return "none"
	case b < 10:
		return "few"
	case b < 200:
		return "many"
	}
	return "crowd"
}

var fickle int

func (f Fickle) String() string {
	fickle++
	return fmt.Sprintf("V%dx%d", f, fickle%7)
}

// TestNamesAreDistinct: a text that does not tell which value it is describes none.
func TestNamesAreDistinct(t *testing.T) {
	f := registry.Func("f", "", func(context.Context, struct {
		B Bucket `json:"b"`
		F Fickle `json:"f"`
	}) (one[Bucket], error) {
		return one[Bucket]{}, nil
	})
	if text := string(f.InputSchema()) + string(f.OutputSchema()); strings.Contains(text, " is ") {
		t.Error(text)
	}
}

// TestEnumOfKeys: the keys of a map are the numbers of the registered values.
func TestEnumOfKeys(t *testing.T) {
	type in struct {
		V map[Status]string `json:"v"`
	}
	f := registry.Func("f", "", func(_ context.Context, in in) (string, error) { return in.V[1], nil }, registry.Enum(Status(0), Status(1)))
	if want := `"propertyNames":{"description":"0 is open, 1 is paid.","pattern":"^(0|-?[1-9][0-9]*)$","enum":["0","1"]}`; !strings.Contains(string(f.InputSchema()), want) {
		t.Errorf("%s, want %s", f.InputSchema(), want)
	}
	p, _ := pipelineOf(f, nil)
	if res, err := run(p, "f", `{"v":{"1":"a"}}`); err != nil || res.Text() != "a" {
		t.Error(err)
	}
	if _, err := run(p, "f", `{"v":{"7":"a"}}`); err == nil || !strings.Contains(err.Error(), "must be one of 0, 1") {
		t.Error(err)
	}
}

// TestEmbeddedTime: a struct whose JSON is that of an embedded type takes no arguments.
func TestEmbeddedTime(t *testing.T) {
	type byValue struct {
		time.Time
		Name string `json:"name"`
	}
	type byPointer struct{ *time.Time }
	type deeper struct{ byValue }
	for _, make := range []func(){
		func() { registry.Func("f", "", func(context.Context, byValue) (string, error) { return "", nil }) },
		func() { registry.Func("f", "", func(context.Context, byPointer) (string, error) { return "", nil }) },
		func() { registry.Func("f", "", func(context.Context, *deeper) (string, error) { return "", nil }) },
	} {
		if text := mustPanic(t, make); !strings.Contains(text, "it embeds ") || !strings.Contains(text, "refuses objects; give the field a name") {
			t.Error(text)
		}
	}
	registry.Func("f", "", func(context.Context, ownJSON) (string, error) { return "", nil })
}

// ownJSON embeds a time and decodes itself.
type ownJSON struct{ time.Time }

func (o *ownJSON) UnmarshalJSON(data []byte) error {
	var in struct{ At *time.Time }
	if err := json.Unmarshal(data, &in); err != nil || in.At == nil {
		return errors.New("no time")
	}
	o.Time = *in.At
	return nil
}

// TestHyphens: a name with hyphens stays on the wire, and is matched in canonical form.
func TestHyphens(t *testing.T) {
	type in struct {
		ID   string `json:"order-id"`
		Note string `json:"note,omitempty"`
	}
	p, _ := pipelineOf(registry.Func("f", "", func(_ context.Context, in in) (string, error) { return in.ID, nil }), nil)
	for _, key := range []string{"order-id", "order_id", "orderId", "Order-Id", "ORDERID"} {
		if res, err := run(p, "f", `{"`+key+`":"a"}`); err != nil || res.Text() != "a" {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, args := range []string{`{"order-id":"a","order_id":"b"}`, `{"order.id":"a"}`, `{"order-id":"a","no-te":"b","note":"c"}`} {
		if _, err := run(p, "f", args); registry.AsError(err).Kind != registry.InvalidArguments {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestNumbersForNames: lint names the type and the ways out.
func TestNumbersForNames(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "N.").Add(registry.Func("f", "F.", func(context.Context, one[Priority]) (string, error) { return "", nil }),
		registry.Func("g", "G.", func(context.Context, one[Priority]) (string, error) { return "", nil }, registry.Enum(Priority(0), Priority(1))))
	findings, err := registry.Lint(t.Context(), reg)
	var told []string
	for _, f := range findings {
		if f.Rule == "numbers-for-names" {
			told = append(told, f.String())
		}
	}
	if err != nil || len(told) != 1 || !strings.Contains(told[0], "function n.f") || !strings.Contains(told[0], "registry_test.Priority has names") {
		t.Errorf("%q, %v", told, err)
	}
}

// TestReturnsAsWritten: what a function returns is told in the form of results, which is not always that of arguments.
func TestReturnsAsWritten(t *testing.T) {
	if s := returns[time.Duration](); s != "Number." {
		t.Error(s)
	}
	if s := returns[[]one[time.Duration]](); s != "Array of objects with `v`." {
		t.Error(s)
	}
	if s := returns[*url.URL](); !strings.HasPrefix(s, "Object with `Scheme`") {
		t.Error(s)
	}
	if s := returns[[]sql.NullString](); s != "Array of objects with `String` and `Valid`." {
		t.Error(s)
	}
}

func returns[T any]() string {
	return registry.Func("f", "", func(context.Context, struct{}) (out T, err error) { return out, nil }).Returns()
}

const typesFile = "types.go"

// TestTypeTable makes the table of types in the package docs, and holds each result to its schema.
func TestTypeTable(t *testing.T) {
	table := typeTable()
	if len(table) < 60 {
		t.Errorf("%d types, want 60", len(table))
	}
	var b bytes.Buffer
	b.WriteString("// # Go types\n//\n// What a model sees of a Go type as an argument and as a result, and values that were passed through: those without a\n" +
		"// remark come out as they went in. TestTypeTable makes this list (-update).\n//\n")
	for _, e := range table {
		if e.err != nil {
			t.Error(e.err)
		}
		fmt.Fprintf(&b, "//\t%s\n", e.name)
		wrapped(&b, "in", e.in)
		wrapped(&b, "out", e.out)
		for _, v := range e.values {
			wrapped(&b, "", v)
		}
	}
	b.WriteString("package registry\n")
	golden(t, typesFile, b.Bytes())
	text := strings.ReplaceAll(strings.ReplaceAll(b.String(), "//\t", "\t"), "// ", "")
	if doc := new(comment.Parser).Parse(text); len(doc.Content) < 3 {
		t.Errorf("the docs have %d blocks", len(doc.Content))
	}
}

// wrapped writes a line of the table, in parts of at most 106 characters.
func wrapped(b *bytes.Buffer, label, text string) {
	for text != "" {
		n := len(text)
		if n > 106 {
			n = max(strings.LastIndexAny(text[:106], ", ")+1, 40)
		}
		fmt.Fprintf(b, "//\t    %-4s%s\n", label, strings.TrimSpace(text[:n]))
		label, text = "", text[n:]
	}
}

// golden compares a file of the tree with what a test makes.
func golden(t *testing.T, file string, made []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, made) {
		t.Errorf("%s is not what the test makes; run it with -update: %v", file, err)
	}
}
