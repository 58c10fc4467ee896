package wrong

import (
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Case is a wrong server over HTTP.
type Case struct {
	// Kind is cash, disclosure, facade or skills.
	Kind string
	// Row is the row that fails. Empty is a sound server.
	Row string
	// Also are rows that fail with it.
	Also []string
	// More means that further rows fail, which cannot be told apart.
	More bool
	// Handler serves it.
	Handler http.Handler
	// Sized means that the row needs the sample sized.
	Sized bool
	// Samples are the calls that its rows need, as a file of samples has them.
	Samples string
}

// Cases returns a sound server of each kind, and one for each row.
func Cases() (list []Case) {
	for _, row := range append([]string{""}, CaSHRows...) {
		list = append(list, cashCase(row))
	}
	for _, row := range append([]string{""}, DisclosureRows...) {
		d := &Disclosure{Row: row}
		list = append(list, Case{Kind: "disclosure", Row: row, Also: disclosureAlso[row], Samples: disclosureSamples, Handler: sessions(d.New)})
	}
	for _, row := range append([]string{""}, FacadeRows...) {
		f := &Facade{Row: row}
		list = append(list, Case{Kind: "facade", Row: row, Samples: facadeSamples, Handler: sessions(f.New)})
	}
	for _, row := range append([]string{""}, SkillsRows...) {
		o := &Skills{Row: row}
		if row != "" {
			row = "skills/" + row
		}
		list = append(list, Case{Kind: "skills", Row: row, Samples: `{}`, Handler: stateless(o.New)})
	}
	return list
}

// disclosureAlso has the rows that another row takes with it, if recommendations must hold too.
var disclosureAlso = map[string][]string{
	"C3": {"P26"}, // which asks for tools in other forms
	"C7": {"P25"}, // which wants the same refusal of wrong arguments
	"C8": {"P25"}, // which begins with a session that has fetched nothing
}

func cashCase(row string) Case {
	q := &CaSH{Row: row}
	c := Case{Kind: "cash", Row: row, Also: slices.Clone(CaSHAlso[row]), More: row == "R1"}
	c.Sized = slices.Contains([]string{"", "R52", "R90", "R91", "R95"}, row)
	c.Handler = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return q.serverFor(r.Header.Get("Authorization") == "admin")
	}, nil)
	limit, read := "10000", `{"namespace": "shop", "function": "find", "kwargs": {"item": "tea"}}`
	switch row {
	case "R20":
		read = `{"namespace": "shop", "function": "find-it", "kwargs": {"item": "tea"}}`
	case "R48":
		read = `{"function": "now"}`
	case "R52":
		limit = "20000"
	}
	c.Samples = `{"sizelimit": ` + limit + `, "read": ` + read + `, ` + cashSamples
	return c
}

const cashSamples = `
  "echo": {"namespace": "util", "function": "echo", "param": "value"},
  "large": {"namespace": "util", "function": "rows"},
  "sized": {"namespace": "util", "function": "text", "param": "chars"},
  "stream": {"namespace": "util", "function": "stream"},
  "media": {"namespace": "util", "function": "image"},
  "largeError": {"namespace": "util", "function": "rant"},
  "fails": [{"namespace": "util", "function": "fail"}],
  "effect": {"namespace": "shop", "function": "put", "kwargs": {"item": "tea"}, "runs": {"namespace": "shop", "function": "puts"}},
  "skill": {"namespace": "shop", "name": "restock", "inputs": {"item": "tea"}, "keeps": ["call(namespace=\"shop\", function=\"find\")"]},
  "hidden": {"namespace": "vault", "function": "open", "headers": ["Authorization: admin"]}
}`

const disclosureSamples = `{
  "call": {"tool": "find", "arguments": {"item_name": "tea"}},
  "other": {"tool": "put", "arguments": {"amount": 1}},
  "denied": {"tool": "locked"},
  "invalid": {"x": 1},
  "secret": "secret"
}`

const facadeSamples = `{"read": {"namespace": "OrdersExecute", "function": "get", "kwargs": {"id": "A"}}}`

func sessions(newServer func() *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, nil)
}

func stateless(newServer func() *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return newServer() }, &mcp.StreamableHTTPOptions{Stateless: true})
}
