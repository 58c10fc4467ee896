package wrong

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A CaSH is a CaSH server: written on the SDK alone, with pages in a style of its own.
type CaSH struct {
	Row   string // that it breaks
	Admin bool   // the caller sees the vault

	mu      sync.Mutex
	runs    int
	kept    map[string]*mcp.CallToolResult
	clients int  // connections so far
	client  int  // connection of the request at hand
	admin   bool // its caller
	last    int  // size limit that sticks
}

// CaSHRows are the rows that a [CaSH] breaks. All but R1 fail alone, or with those of [CaSHAlso].
var CaSHRows = strings.Fields("R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 R30 R31 " +
	"R40 R41 R42 R43 R44 R45 R45a R46 R47 R48 R49 R50 R51 R52 R53 R54 R56 R60 R61 R62 R63 R64 R65 R67 R68 " +
	"R80 R81 R83 R90 R91 R92 R93 R94 R95 R96 R97 R98 R99 R100 R101 R102 R103 R104 R105 R106")

// CaSHAlso has the rows that another row takes with it, by its nature.
var CaSHAlso = map[string][]string{
	"R90": {"R91"},        // which checks the exact value
	"R97": {"R93", "R99"}, // which ask for the same result after others have
}

func (q *CaSH) is(row string) bool { return q.Row == row }

// Runs returns how often shop.put has run.
func (q *CaSH) Runs() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.runs
}

// Run serves one connection.
func (q *CaSH) Run(ctx context.Context, t mcp.Transport) error { return q.New().Run(ctx, t) }

// New returns the server of one connection.
func (q *CaSH) New() *mcp.Server { return q.serverFor(q.Admin) }

func (q *CaSH) serverFor(admin bool) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "quirky", Version: "1"}, nil)
	q.mu.Lock()
	q.clients++
	client := q.clients
	q.mu.Unlock()
	for name, schema := range q.schemas() {
		description := name
		if q.is("R53") && admin {
			description += " for administrators"
		}
		srv.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.client, q.admin = client, admin
				return q.answer(req), nil
			})
	}
	srv.AddReceivingMiddleware(q.shortcut)
	return srv
}

func (q *CaSH) schemas() map[string]string {
	const text, object = `{"type":"string"}`, `{"type":["object","null"]}`
	s := map[string]string{
		"call":  `{"type":"object","properties":{"namespace":` + text + `,"function":` + text + `,"kwargs":` + object + `,"sizelimit":{"type":"integer"}},"required":["function"]}`,
		"help":  `{"type":"object","properties":{"namespace":` + text + `,"function":` + text + `,"kwargs":` + object + `}}`,
		"skill": `{"type":"object","properties":{"namespace":` + text + `,"skillname":` + text + `,"kwargs":` + object + `}}`,
	}
	switch q.Row {
	case "R1":
		s["skills"] = s["skill"]
		delete(s, "skill")
	case "R2":
		s["version"] = `{"type":"object"}`
	case "R3":
		s["call"] = strings.Replace(s["call"], `["function"]`, `["namespace","function"]`, 1)
	case "R4":
		s["help"] = strings.TrimSuffix(s["help"], "}") + `,"required":["namespace"]}`
	case "R5":
		s["skill"] = strings.TrimSuffix(s["skill"], "}") + `,"required":["skillname"]}`
	case "R6":
		s["help"] = strings.TrimSuffix(s["help"], "}") + `,"additionalProperties":false}`
	}
	return s
}

// shortcut lets a function be called as a tool.
func (q *CaSH) shortcut(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if r, ok := req.(*mcp.CallToolRequest); ok && q.is("R12") && r.Params.Name == "shop.find" {
			return spoken("found"), nil
		}
		return next(ctx, method, req)
	}
}

// toJSON returns v, which has a JSON form.
func toJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

func spoken(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func oops(format string, args ...any) *mcp.CallToolResult {
	r := spoken("Sorry: " + fmt.Sprintf(format, args...))
	r.IsError = true
	return r
}

func (q *CaSH) answer(req *mcp.CallToolRequest) *mcp.CallToolResult {
	a, err := q.arguments(req.Params.Arguments)
	if err != nil {
		return oops("%v", err)
	}
	path, ok := q.path(a.text("namespace"))
	if !ok {
		return oops("%q is not a valid namespace: see help()", a.text("namespace"))
	}
	switch req.Params.Name {
	case "help":
		return q.help(path, a)
	case "skill":
		return q.skill(path, a)
	}
	return q.invoke(path, a)
}

// arguments are members by canonical key.
type arguments map[string]json.RawMessage

func (a arguments) text(key string) string {
	var s string
	_ = json.Unmarshal(a[key], &s)
	return s
}

func (q *CaSH) arguments(data []byte) (arguments, error) {
	a, err := members(data, !q.is("R8"))
	if err != nil {
		return nil, err
	}
	if a["skillname"] == nil && !q.is("R9") {
		a["skillname"] = a["name"]
	}
	if q.is("R11") && string(a["namespace"]) == `""` {
		a["namespace"] = json.RawMessage(`"root"`)
	}
	if string(a["kwargs"]) == "null" {
		delete(a, "kwargs")
	}
	return a, nil
}

// members reads an object and refuses keys that are the same.
func members(data []byte, fold bool) (arguments, error) {
	a := arguments{}
	if len(data) == 0 {
		return a, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("not an object")
	}
	spelt := map[string]string{}
	for dec.More() {
		key, _ := dec.Token()
		name := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		folded := name
		if fold {
			folded = canonical(name)
		}
		if other, dup := spelt[folded]; dup {
			return nil, fmt.Errorf("%q and %q are the same", other, name)
		}
		spelt[folded], a[folded] = name, value
	}
	return a, nil
}

var legalPath = regexp.MustCompile(`^(_*[A-Za-z0-9][A-Za-z0-9_]*)(\._*[A-Za-z0-9][A-Za-z0-9_]*)*$`)

// path returns the canonical form of a path.
func (q *CaSH) path(path string) (string, bool) {
	if q.is("R30") {
		path = strings.Trim(path, " ./")
	}
	if q.is("R28") && strings.Trim(path, "_") == "" {
		path = ""
	}
	if path != "" && !legalPath.MatchString(path) {
		return "", false
	}
	if q.is("R29") && strings.Contains(path, ".") {
		return path, true
	}
	return canonical(path), true
}

func (q *CaSH) invoke(path string, a arguments) *mcp.CallToolResult {
	limit, ok := q.limit(a["sizelimit"])
	name := a.text("function")
	switch {
	case name == "":
		if q.is("R15") {
			return oops("no function")
		}
		return oops("no function: see help(namespace=%q)", path)
	case q.is("R31") && path == "" && strings.Contains(name, "."):
		i := strings.LastIndexByte(name, '.')
		path, name = canonical(name[:i]), name[i+1:]
	case strings.Contains(name, "."):
		i := strings.LastIndexByte(name, '.')
		return oops(`%q is not a function: use namespace="%s", function="%s"`, name, name[:i], name[i+1:])
	}
	f := q.function(path, name)
	if f == nil {
		return q.unknownCall(path, name)
	}
	if !ok && !q.is("R98") {
		return oops("sizelimit must be a whole number")
	}
	kwargs, err := q.kwargs(f, a["kwargs"])
	if err != nil {
		return oops("kwargs: %v", err)
	}
	if in, given := kwargs["sizelimit"]; given && !q.is("R105") {
		limit, _ = q.limit(in)
		delete(kwargs, "sizelimit")
	}
	if f.name == "rows" && q.is("R97") { // sticks for one request
		limit, q.last = max(limit, q.last), limit
	}
	return q.gate(f, kwargs, limit)
}

func (q *CaSH) kwargs(f *quirk, data json.RawMessage) (arguments, error) {
	if q.is("R10") && data == nil && f.name == "find" {
		return nil, fmt.Errorf("they are missing")
	}
	if q.is("R14") && len(data) > 0 && data[0] != '{' {
		return arguments{"item": json.RawMessage(`"none"`)}, nil
	}
	kwargs, err := members(data, true)
	switch {
	case q.is("R24") && err != nil && data[0] == '{':
		return arguments{"value": json.RawMessage("1")}, nil
	case q.is("R22") && err == nil:
		return members(data, false)
	}
	return kwargs, err
}

// limit reads a size limit, which is 10,000 if it is not given.
func (q *CaSH) limit(value json.RawMessage) (int, bool) {
	if value == nil || string(value) == "null" {
		if q.is("R52") {
			return 20_000, true
		}
		return 10_000, true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f < 0 || f != math.Trunc(f) {
		return 10_000, false
	}
	return int(min(f, 1e9)), true
}

func (q *CaSH) gate(f *quirk, kwargs arguments, limit int) *mcp.CallToolResult {
	key := f.name + toJSON(kwargs)
	res := q.kept[key]
	if res == nil || q.is("R103") {
		res = f.run(q, kwargs)
	}
	n := length(res)
	switch {
	case q.is("R90") && f.name == "text" && limit == 10_000:
		limit = 9000
	case q.is("R91") && n == limit && f.name == "text":
		limit--
	case q.is("R96") && n > limit && limit == 1 && f.name == "find":
		limit = n
	}
	if n <= limit || f.name == "stream" && !q.is("R102") || q.is("R104") && res.IsError || q.is("R106") && f.name == "image" {
		delete(q.kept, key)
		if q.is("R95") && n > 100_000 {
			return oops("the size limit is exceeded")
		}
		return q.wrapped(res)
	}
	if f.name == "put" {
		q.kept = map[string]*mcp.CallToolResult{key: res}
	}
	return q.notice(f, res, n)
}

// wrapped is a result as it is delivered.
func (q *CaSH) wrapped(res *mcp.CallToolResult) *mcp.CallToolResult {
	if text, ok := res.Content[0].(*mcp.TextContent); ok && q.is("R13") {
		var v any
		if json.Unmarshal([]byte(text.Text), &v) == nil {
			return spoken(toJSON(v))
		}
	}
	return res
}

func length(res *mcp.CallToolResult) int {
	n := 0
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			n += utf8.RuneCountInString(c.Text)
		case *mcp.ImageContent:
			n += len(c.Data) * 4 / 3
		}
	}
	return n
}

func (q *CaSH) notice(f *quirk, res *mcp.CallToolResult, n int) *mcp.CallToolResult {
	margin := n + n/10 + 1
	if q.is("R94") && f.name != "put" {
		margin = n - 1
	}
	text := fmt.Sprintf("Withheld: too long (about %d characters). Narrow the query, or pass sizelimit=%d.", n, margin)
	switch {
	case f.name == "put":
		text += " The function has run; the repeat will not run it again."
	case q.is("R93"):
		text = fmt.Sprintf("Pass sizelimit=%d.", margin)
	case q.is("R99"):
		text += strings.Repeat(" Please.", 200)
	case q.is("R92"):
		if t, ok := res.Content[0].(*mcp.TextContent); ok {
			text += string([]rune(t.Text)[:min(200, utf8.RuneCountInString(t.Text))])
		}
	}
	out := oops("%s", text)
	out.IsError = !q.is("R100") || res.IsError
	return out
}
