package plain

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Face is the name of a face's package.
type Face string

// The faces that [Fit] chooses among.
const (
	Plain      Face = "cash/plain"
	CaSH       Face = "cash"
	Gateway    Face = "cash/gateway"
	Facade     Face = "cash/facade"
	Disclosure Face = "cash/disclosure"
)

// A Client describes the clients of a server. The zero value is a client that shows its model every
// definition.
type Client struct {
	// Defers reports that the client hides tools from the model until the client's own search finds
	// them.
	Defers bool
	// ReadsResources reports that the model reads a server's resources by itself. It then sees the
	// names of all tools, at some 40 tokens each.
	ReadsResources bool
	// LargeResults reports that functions return more than a model should read: more than some
	// 10,000 characters.
	LargeResults bool
	// Calls is the approximate number of different functions used in a conversation. Zero is one.
	Calls int
}

// An Advice is the recommended face with the reason.
type Advice struct {
	Face   Face
	Reason string // a sentence
	Tools  int    // functions that the caller sees
	Tokens int    // estimated tokens of their definitions in a full list
}

// The thresholds of [Fit]. The command internal/bench/tokens measured them, in tokens of
// cl100k_base.
const (
	// bytesPerToken is ten times the bytes of one token: definitions have from 4.1 to 4.5. Texts in
	// scripts other than Latin cost more than estimated.
	bytesPerToken = 42
	// threeTools is the cost of call, help and skill with their instructions. perFunction is the
	// cost of finding one function through them. A full list with tools of 100 tokens therefore
	// costs the same at seven tools if a conversation uses one, and at 36 if it uses ten.
	threeTools, perFunction = 350, 350
	// facadeTools is the fixed cost of a facade, perDomain and perCommand the cost of its domains
	// and their commands.
	//
	//   - A call takes three requests. Up to maxFacade they cost from a quarter less to a seventh
	//     more than the four through three tools; with 50 commands in two domains they cost a third
	//     more.
	//   - Beyond 25 commands, the parameters of some do not fit into the description of a domain.
	facadeTools, perDomain, perCommand = 170, 100, 11
	maxFacade, maxCommands             = 900, 25
	// maxNames is the most names in a list that every conversation pays for: some 4,000 tokens.
	maxNames = 100
)

// Fit recommends the face for the functions that the caller in ctx sees, by their number, their
// cost and the client. The first rule that applies decides:
//
//  1. Large results: the gateway. It alone lets a model look into a result, and results outweigh all
//     definitions. Three lines of a log of 60 KB cost 7 % of their cost with a full list, and some 90 %
//     behind all other faces.
//  2. The client hides tools from its model: plain. A list then costs nothing, and a second search costs a
//     turn each time.
//  3. A full list costs no more than three tools and the pages read through them: plain. For one call, that
//     holds up to seven tools of 100 tokens each. Plain is also cheapest if most tools are used.
//  4. The model reads resources and the list is short: disclosure. The model sees all names, and one read
//     gets the schemas of several tools. That costs more than three tools but needs no search.
//  5. A few namespaces of moderate size, whose commands cost at most 900 tokens: facade. The model sees all
//     commands with their parameters, which saves a turn for each. Of 36 functions in three namespaces,
//     one call costs 40 % of a full list in the input of all requests, and 45 % through three tools.
//  6. Otherwise CaSH, whose definitions do not grow.
//
// The error is that of a source that cannot be listed.
func Fit(ctx context.Context, src registry.Source, c Client) (Advice, error) {
	functions, err := registry.Flat(ctx, registry.NewPipeline(src, nil).Source())
	if err != nil {
		return Advice{}, err
	}
	a := Advice{Tools: len(functions), Tokens: tokens(functions)}
	calls := min(max(cmp.Or(c.Calls, 1), 1), len(functions))
	areas, commands := domains(functions)
	switch {
	case c.LargeResults && a.Tools > 0:
		a.Face, a.Reason = Gateway, "Large results stay behind handles, and a model looks into them piece by piece."
	case c.Defers:
		a.Face, a.Reason = Plain, "The client itself keeps tools out of the context until they are needed."
	case a.Tokens <= threeTools+calls*perFunction:
		a.Face, a.Reason = Plain, fmt.Sprintf("A full list costs some %d tokens, no more than looking for what is used through three tools.", a.Tokens)
	case c.ReadsResources && a.Tools <= maxNames:
		a.Face, a.Reason = Disclosure, fmt.Sprintf("The model sees %d names, and reads the schemas of several at once from a resource.", a.Tools)
	case areas > 0 && commands <= maxCommands && facadeTools+areas*perDomain+a.Tools*perCommand <= maxFacade:
		a.Face, a.Reason = Facade, fmt.Sprintf("A model sees all %d functions without asking, as commands of a tool for each namespace (%d).", a.Tools, areas)
	default:
		a.Face, a.Reason = CaSH, fmt.Sprintf("Three tools cost the same for %d functions as for any number; a full list costs some %d tokens.", a.Tools, a.Tokens)
	}
	return a, nil
}

// tokens estimates the tokens of the definitions of functions.
func tokens(functions []*registry.Function) int {
	size := 0
	for _, f := range functions {
		size += len(f.FlatName()) + len(f.Description()) + len(f.InputSchema())
	}
	return size * 10 / bytesPerToken
}

// domains returns the number of top-level namespaces and the functions in the largest. number is
// zero if a function is outside of them.
func domains(functions []*registry.Function) (number, largest int) {
	in := make(map[string]int)
	for _, f := range functions {
		top, _, nested := strings.Cut(f.Path(), ".")
		if !nested {
			return 0, 0
		}
		in[top]++
		largest = max(largest, in[top])
	}
	return len(in), largest
}
