package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// longList is a list of things whose definitions have many bytes, so many on a page.
type longList struct{ things, bytes, page int }

func (l longList) name(method string) string {
	return fmt.Sprintf("%s of %d, %d bytes each, %d on a page", method, l.things, l.bytes, l.page)
}

var longLists = []longList{
	{10_000, 0, 1000}, // just as many as are taken
	{10_001, 0, 10_000}, {10_001, 0, 1 << 20},
	{30_000, 0, 1000}, {30_000, 0, 1 << 20}, {30_000, 1000, 1000},
	{9000, 600, 1 << 20}, {30_000, 1000, 1 << 20}, // more bytes than a message may have, the second so many that the connection ends
	{7500, 3000, 500}, // more bytes than a list may have
}

// entries are what is listed, by the method: what comes before the number of each,
// and behind its description.
var entries = map[string][2]string{
	"tools/list":     {`{"name":"thing_%d","description":"`, `","inputSchema":{"type":"object"}}`},
	"resources/list": {`{"uri":"a:%[1]d","name":"thing_%[1]d","description":"`, `"}`},
	"prompts/list":   {`{"name":"thing_%d","description":"`, `"}`},
}

func init() {
	for method, form := range entries {
		for _, l := range longLists {
			speeches[l.name(method)] = func(r spoken, say func(string)) bool {
				switch {
				case r.Method == "server/discover":
					say(r.refuse(`{"code":-32601,"message":"what?"}`))
				case r.Method == "initialize":
					say(r.answer(introduced))
				case r.Method == method:
					say(r.answer(l.say(method, form, r.Params.Cursor)))
				case strings.HasSuffix(r.Method, "/list") && r.Method != "tools/list":
					say(r.answer(`{"resources":[],"prompts":[]}`))
				default:
					return false
				}
				return true
			}
		}
	}
}

// say is a page of the list.
func (l longList) say(method string, form [2]string, cursor string) string {
	from := 0
	_, _ = fmt.Sscan(cursor, &from)
	to := min(from+l.page, l.things)
	filler := strings.Repeat("x", l.bytes)
	var b strings.Builder
	fmt.Fprintf(&b, `{%q:[`, strings.TrimSuffix(method, "/list"))
	for i := from; i < to; i++ {
		if i > from {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, form[0], i)
		b.WriteString(filler + form[1])
	}
	b.WriteByte(']')
	if to < l.things {
		fmt.Fprintf(&b, `,"nextCursor":"%d"`, to)
	}
	b.WriteByte('}')
	return b.String()
}

// want is what the operator reads: a note, or why the list is not served.
func (l longList) want(method string) (note, problem string) {
	what := strings.TrimSuffix(method, "/list")
	switch {
	case min(l.page, l.things)*l.bytes > 4<<20:
		return "", "its " + method + " answer has more than 4 MiB, which is MaxMessage (max_message): raise that, or have it list in pages"
	case l.things*l.bytes > upstream.MaxListBytes && l.things <= 10_000:
		return "", "the pages of its " + method + " have more than 16 MiB in all: have it list fewer, or say less of each"
	case l.things > 10_000:
		return "it lists more than 10,000 " + what + ": those beyond the first 10,000 are not served; have it list fewer", ""
	}
	return "", ""
}

// A list that is too long is told with the bound that it has met, and what to do; of
// more than is taken the first ones are served, whatever the pages are.
func TestListsThatAreTooLong(t *testing.T) {
	large(t)
	for method := range entries {
		for _, l := range longLists {
			for way, e := range stages(t, l.name(method)) {
				if way != "stdio" && (method != "tools/list" || l.things*l.bytes > 10<<20) || method != "tools/list" && l.page > 1000 && l.bytes == 0 {
					continue // it is the same
				}
				if !*full && (way != "stdio" && l.page != 1000 || way == "stdio" && method != "tools/list" && l.bytes == 0) {
					continue // each way has the lists of 1,000 a page, each method those with bytes
				}
				if !*full && (l.things*l.bytes == 0 && l.page == 1<<20 || strings.HasPrefix(way, "http") && l.things == 30_000 || method == "prompts/list" && l.things != 9000) {
					continue // much the same: one page instead of two, ways and methods that share what reads them
				}
				t.Run(l.name(method)+" over "+way, func(t *testing.T) {
					s := upstream.Server{Label: "long", Endpoint: e, MaxMessage: 4 << 20, ConnectTimeout: 6 * patience}
					if method == "tools/list" {
						srv, agg, _ := aggregateWithin(t, 6*patience, nil, s)
						checkLongTools(t, l, srv, agg.Status()[0])
					} else {
						checkLongPrimitives(t, l, method, shelveWithin(t, 6*patience, s).agg)
					}
				})
			}
		}
	}
}

func checkLongTools(t *testing.T, l longList, srv *cash.Server, st upstream.Status) {
	t.Helper()
	note, problem := l.want("tools/list")
	if problem == "" {
		if st.State != upstream.Connected || st.Functions != 10_000 || st.Err != nil || strings.Join(st.Notes, "\n") != note {
			t.Errorf("the server is %v with %d functions: %v, %q", st.State, st.Functions, st.Err, st.Notes)
		}
		return
	}
	if st.State != upstream.Down || st.Err == nil || st.Err.Error() != "too large: "+problem {
		t.Errorf("the server is %v: %v", st.State, st.Err)
	}
	_, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "long", Function: "thing_1"})
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != registry.Unavailable || !e.NotRun ||
		e.Message != "`long` is temporarily unavailable. The server behind `long` sent too much: "+problem+"." || !strings.Contains(e.Hint, "the operator") {
		t.Errorf("a call is answered with %+v", err)
	}
}

func checkLongPrimitives(t *testing.T, l longList, method string, agg *upstream.Aggregator) {
	t.Helper()
	until(t, func() bool { return agg.Status()[0].State == upstream.Connected }) // the list may have cost a connection
	st := agg.Status()[0]
	note, problem := l.want(method)
	if problem != "" {
		note = "the list of " + strings.TrimSuffix(method, "/list") + " could not be read: too large: " + problem
	}
	served := min(l.things, 10_000)
	if problem != "" {
		served = 0
	}
	if noted := slices.Contains(st.Notes, note) || note == "" && len(st.Notes) == 0; st.State != upstream.Connected || st.Functions != 1 || !noted || st.Resources+st.Prompts != served {
		t.Errorf("the server is %v with %d resources and %d prompts: %v, %.300q", st.State, st.Resources, st.Prompts, st.Err, st.Notes)
	}
}

// chatter is how many messages come before an answer, by the name of the speech;
// those that end in silence have no answer.
var chatter = map[string]int{
	"40,000 messages": 40_000, "endless messages": 2 * upstream.MaxUnanswered, "5,000 messages, then silence": 5_000, "3 messages, then silence": 3,
	"5,000 messages, then no list": 5_000, "5,000 messages, then no connection": 5_000,
}

func init() {
	for name, n := range chatter {
		at := "tools/call"
		switch {
		case strings.HasSuffix(name, "no list"):
			at = "tools/list"
		case strings.HasSuffix(name, "no connection"):
			at = "initialize"
		}
		speeches[name] = func(r spoken, say func(string)) bool {
			if r.Method == "server/discover" && at == "initialize" {
				say(r.refuse(`{"code":-32601,"message":"what?"}`))
				return true
			}
			if r.Method != at {
				return false
			}
			for i := range n {
				say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"message %d"}}`, i))
			}
			if !strings.Contains(name, "then") {
				say(r.answer(`{"content":[{"type":"text","text":"done"}]}`))
			} else {
				say("")
			}
			return true
		}
	}
}

// A server that says much before it answers is waited for; if there is no answer, or
// too much comes before it, the error says that, and not that the server was silent.
func TestManyMessagesBeforeTheAnswer(t *testing.T) {
	for name, want := range map[string]struct {
		kind  registry.Kind // empty is an answer
		class upstream.Class
		says  string // TIMEOUT is that of the call
	}{
		"40,000 messages":              {},
		"endless messages":             {registry.Failed, upstream.TooLarge, "The server behind `up` sent too much: it sent more than 50,000 messages before it answered. It may have taken effect"},
		"5,000 messages, then silence": {registry.TimedOut, upstream.TimedOut, "The server behind `up` sent [0-9]+,[0-9]{3} messages, but not its answer, within TIMEOUT. It may have taken effect"},
		"3 messages, then silence":     {registry.TimedOut, upstream.TimedOut, "The server behind `up` did not answer within TIMEOUT. It may have taken effect"},
	} {
		for way, e := range stages(t, name) {
			t.Run(name+" over "+way, func(t *testing.T) {
				t.Parallel()
				s := upstream.Server{Label: "up", Endpoint: e, Timeout: 5 * time.Minute}
				if want.kind == registry.TimedOut {
					s.Timeout = 3 * time.Second
				}
				agg, r, err := callAt(t, s)
				if strings.Contains(name, "5,000") && strings.Contains(fmt.Sprint(err), "did not answer within 3s") {
					s.Timeout = 30 * time.Second // fewer than 1,000 messages came, as on a busy machine
					agg, r, err = callAt(t, s)
				}
				if want.kind == "" {
					if err != nil || r.Text() != "done" {
						t.Fatalf("the call answers %+v, %v", r, err)
					}
					return
				}
				var shown *registry.Error
				var cause *upstream.CallError
				if !errors.As(err, &shown) || !errors.As(err, &cause) {
					t.Fatalf("the call answers %+v, %v", r, err)
				}
				says := regexp.MustCompile("^" + strings.ReplaceAll(want.says, "TIMEOUT", s.Timeout.String()))
				if shown.Kind != want.kind || shown.NotRun || cause.Class != want.class || !cause.Sent || !says.MatchString(shown.Message) {
					t.Errorf("%s, not run %v, class %v, sent %v: %s (%v)", shown.Kind, shown.NotRun, cause.Class, cause.Sent, shown.Message, cause)
				}
				recovered(t, agg, "up")
			})
		}
	}
}

// callAt calls the function run of a server.
func callAt(t *testing.T, s upstream.Server) (*upstream.Aggregator, *registry.Result, error) {
	t.Helper()
	srv, agg, _ := aggregate(t, nil, s)
	r, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: s.Label, Function: "run", Kwargs: json.RawMessage(`{}`)})
	return agg, r, err
}

// The same holds before there are any tools.
func TestManyMessagesBeforeTheList(t *testing.T) {
	for name, want := range map[string]string{
		"5,000 messages, then no list":       "^timed out: [0-9]+,[0-9]{3} messages, but no answer, in time$",
		"5,000 messages, then no connection": "^timed out: it sent [0-9]+,[0-9]{3} messages, but not its answer, within TIMEOUT$",
	} {
		for way, e := range stages(t, name) {
			if strings.HasSuffix(name, "no connection") && way == "http 2026-07-28" {
				continue // it is not asked to initialize
			}
			t.Run(name+" over "+way, func(t *testing.T) {
				t.Parallel()
				s := upstream.Server{Label: "up", Endpoint: e, ConnectTimeout: 2 * time.Second}
				srv, agg, _ := aggregate(t, nil, s)
				if err := fmt.Sprint(agg.Status()[0].Err); err == "timed out: no answer in time" || err == "timed out: it did not answer within 2s" {
					s.ConnectTimeout = 30 * time.Second // fewer than 1,000 messages came, as on a busy machine
					srv, agg, _ = aggregateWithin(t, 6*patience, nil, s)
				}
				says := regexp.MustCompile(strings.ReplaceAll(want, "TIMEOUT", s.ConnectTimeout.String()))
				if st := agg.Status()[0]; st.State != upstream.Down || !says.MatchString(st.Err.Error()) {
					t.Errorf("the server is %v: %v", st.State, st.Err)
				}
				_, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "up", Function: "run"})
				says = regexp.MustCompile("^`up` is temporarily unavailable. The server behind `up` sent [0-9]+,[0-9]{3} messages, but not its answer, in time.$")
				if e := registry.AsError(err); e == nil || !says.MatchString(e.Message) || !e.NotRun {
					t.Errorf("a call is answered with %v", err)
				}
			})
		}
	}
}
