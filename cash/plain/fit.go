package plain

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Face is a way to serve a registry, by the name of its package.
type Face string

// The faces that [Fit] chooses among.
const (
	Plain      Face = "cash/plain"
	CaSH       Face = "cash"
	Gateway    Face = "cash/gateway"
	Facade     Face = "cash/facade"
	Disclosure Face = "cash/disclosure"
)

// A Client is what is known of those who will use a server. The zero value is one
// that shows its model every definition, and of which nothing else is known.
type Client struct {
	// Defers says that it keeps tools out of the context until a search of its
	// own finds them.
	Defers bool
	// ReadsResources says that its model reads resources of a server by itself,
	// and is to see the names of all tools, at some 40 tokens each.
	ReadsResources bool
	// LargeResults says that functions return more than a model should read: more
	// than some 10,000 characters.
	LargeResults bool
	// Calls is how many different functions a conversation uses, more or less. Zero
	// is one.
	Calls int
}

// An Advice is the face that fits.
type Advice struct {
	Face   Face
	Reason string // a sentence
	Tools  int    // functions that the caller sees
	Tokens int    // what their definitions cost in a full list, estimated
}

// The thresholds of [Fit]. What they are argued from is what the command
// internal/bench/tokens measures, in tokens of cl100k_base.
const (
	// bytesPerToken, times ten: names, descriptions and schemas have from 4.1 to
	// 4.5 bytes in a token of the definitions that they are put into. Texts in
	// other scripts than Latin cost more than is estimated.
	bytesPerToken = 42
	// threeTools is what call, help and skill cost, with their instructions;
	// perFunction is what a model reads and writes on top for each function that it
	// looks for. So seven tools of 100 tokens cost as much in a full list, for a
	// conversation that uses one of them, and 36 if it uses ten.
	threeTools, perFunction = 350, 350
	// facadeTools is what a facade costs by itself, perDomain and perCommand what
	// its domains and their commands add. Its three requests for a call cost up to
	// maxFacade from a quarter less to a seventh more than the four through three
	// tools, and with 50 commands in two domains a third more. Beyond 25 commands the
	// parameters of some do not fit into the description of a domain.
	facadeTools, perDomain, perCommand = 170, 100, 11
	maxFacade, maxCommands             = 900, 25
	// maxNames is how many names a list may have that is paid for in every
	// conversation: some 4,000 tokens.
	maxNames = 100
)

// Fit says which face serves the functions that the caller in ctx sees best, by
// their number, what they cost, and the client. It decides in this order:
//
//  1. Where results are large, the gateway: it alone lets a model look into one,
//     and results outweigh any definitions. Three lines of a log of 60 KB cost 7 %
//     of what they do with a full list, and some 90 % behind all other faces.
//  2. Where the client itself keeps tools away from its model, plain: a list costs
//     nothing then, and a second search on top costs a turn each time.
//  3. Where a full list costs no more than three tools and what has to be read
//     through them, plain: for one call that is so up to seven tools of 100 tokens
//     each. It is cheapest, too, where most tools are used.
//  4. Where the model reads resources and the list stays short, disclosure: it sees
//     all names, and one read gets the schemas of several tools. That costs more
//     than three tools do, and takes no search.
//  5. Where the functions stand in a few namespaces of moderate size, so that their
//     commands cost no more than 900 tokens, facade: a model sees them all with
//     their parameters and need not ask what there is, which is a turn less for
//     each. Of 36 functions in three namespaces, one call costs 40 % of what it does
//     with a full list, in the input of all requests, and 45 % through three tools.
//  6. Otherwise CaSH, whose definitions do not grow.
//
// An error is that of a source that cannot be listed.
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

// tokens estimates what the definitions of functions cost.
func tokens(functions []*registry.Function) int {
	size := 0
	for _, f := range functions {
		size += len(f.FlatName()) + len(f.Description()) + len(f.InputSchema())
	}
	return size * 10 / bytesPerToken
}

// domains returns how many top-level namespaces there are, and how many functions
// the largest has; no namespaces if there is a function outside of them.
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
