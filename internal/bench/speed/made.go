package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// A madeTool imitates a tool of a real service: a verb and a thing, everyday words with a long tail of rare ones, some
// parameters.
type madeTool struct {
	space, name, description string
	schema                   json.RawMessage
}

// perSpace is the number of tools of one namespace.
const perSpace = 50

// made returns n tools. The first ones of a larger number are the same.
func made(n int) []madeTool {
	madeLock.Lock()
	defer madeLock.Unlock()
	r := madeRand
	for i := len(madeList); i < n; i++ {
		verb, thing := pick(r, verbs), pick(r, things)
		t := madeTool{space: fmt.Sprintf("%s_%d", pick(rand.New(rand.NewPCG(uint64(i/perSpace), 3)), things), i/perSpace), name: fmt.Sprintf("%s_%s_%d", verb, thing, i%perSpace)}
		t.description = strings.ToUpper(verb[:1]) + verb[1:] + " " + thing + " " + words(8+r.IntN(20)) + "."
		t.schema = madeSchema(r)
		madeList = append(madeList, t)
	}
	return madeList[:n]
}

var (
	madeLock sync.Mutex
	madeRand = rand.New(rand.NewPCG(1, 2))
	madeZipf = rand.NewZipf(madeRand, 1.15, 4, 7999)
	madeList []madeTool
)

func madeSchema(r *rand.Rand) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range 1 + r.IntN(6) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s_%d":{"type":"string","description":"%s."}`, pick(r, things), i, words(3+r.IntN(8)))
	}
	b.WriteString("}}")
	return json.RawMessage(b.String())
}

// words returns n words, common ones more often.
func words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = word(int(madeZipf.Uint64()))
	}
	return strings.Join(list, " ")
}

// word returns the word of a rank: the everyday ones first, then made-up ones.
func word(rank int) string {
	if rank < len(everyday) {
		return everyday[rank]
	}
	var b strings.Builder
	for n := rank + len(syllables)*len(syllables); n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String()
}

// asked returns n queries for some of the tools: by name, by words of the description, by words of any tool, and with a
// typing error.
func asked(tools []madeTool, n int) []string {
	r, list := rand.New(rand.NewPCG(3, 4)), make([]string, n)
	for i := range list {
		t := pick(r, tools)
		name, about := strings.ReplaceAll(t.name, "_", " "), strings.Fields(t.description)
		from := r.IntN(len(about) - 4)
		some := strings.Join(about[from:min(len(about), from+3+r.IntN(6))], " ")
		list[i] = [...]string{name, "please help me to " + name, some, name[1:] + " " + some, "call " + t.space + "." + t.name}[r.IntN(5)]
	}
	return list
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

var (
	verbs = strings.Fields(`get list create update delete search find send add remove cancel archive restore export import
		approve reject assign copy move merge split publish schedule start stop pause resume validate summarize compare`)
	things = strings.Fields(`order invoice customer contact account user role team project task ticket comment file folder
		document page image video message channel thread meeting calendar event room device sensor alert metric report
		dashboard query table column backup snapshot cluster node pipeline build release branch commit issue review product
		price discount cart payment refund subscription plan tax shipment parcel warehouse stock supplier contract lead deal`)
	syllables = strings.Fields(`ba ce di fo gu ha ki lo mu ne pa ri so tu va we xi yo za chi bren stol tra plen
		ar en il om us est int con per sub ter ver lin mar gra ble ty ment ing ous`)
	everyday = strings.Fields(`the of a and to in for with by from or that is this on as it an if are be not all when
		which can only returns given new one name list use data value time number optional date user text default
		must will more than each its into at status current details result results specified first before after also
		between any other same set order has have no up page type filter record records information available existing`)
)

// fill adds tools to a registry. Facts returns the options of the i-th; nil is none.
func fill(reg *registry.Registry, tools []madeTool, facts func(i int) []registry.FuncOption) error {
	for i, t := range tools {
		var options []registry.FuncOption
		if facts != nil {
			options = facts(i)
		}
		f, err := registry.RawFunc(t.name, t.description, t.schema, done, options...)
		if err != nil {
			return err
		}
		reg.Namespace(t.space, "").Add(f)
	}
	return nil
}

// filled returns a registry with n tools.
func filled(n int) (*registry.Registry, error) {
	reg := registry.New(nil)
	return reg, fill(reg, made(n), nil)
}

func done(context.Context, json.RawMessage) (*registry.Result, error) {
	return registry.TextResult("done"), nil
}

// sdkWith returns a server of the SDK with tools.
func sdkWith(tools []madeTool) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "made", Version: "1"}, nil)
	for _, t := range tools {
		addTo(srv, t)
	}
	return srv
}

func addTo(srv *mcp.Server, t madeTool) {
	srv.AddTool(&mcp.Tool{Name: t.name, Description: t.description, InputSchema: t.schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
		})
}
