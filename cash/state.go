package cash

import (
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
)

// states is the table of what servers keep between requests, which package serve has too.
var states = []struct {
	name     string
	replicas string // what several do without more
	needed   string // for several to be as one
}{
	{"sessions", "Another replica answers 404 and says why.", "`serve.NoSessions`, or routing by session"},
	{"plans", "A token is refused, or with common keys runs once on each.", "`PlanOptions.Keys` and `Store`"},
	{"quota", "Each replica counts its own calls.", "`QuotaOptions.Store`"},
	{"approvals", "Only the replica that asked can be answered.", "`ApprovalOptions.Store`"},
	{"results", "A withheld result is known where its function ran.", "`cash.Options.Replays`"},
	{"cache", "Each replica runs a function once.", "`CacheOptions.Store`"},
	{"artifacts", "A handle is known where it was made.", "`firewall.Options.Store`"},
	{"pins", "Each replica accepts changes by itself.", "`upstream.Options.Pins`"},
	{"catalogs", "Each replica reads each upstream; it needs them all.", "`upstream.Options.Catalogs`"},
	{"fetches", "Each replica counts its own fetches of descriptions.", "`disclosure.Options.Fetches`"},
	{"grants", "With common keys, each replica knows what was read.", "`disclosure.Options.Grants`"},
}

// shared describes state in a store of the embedder's.
const shared = "One for all replicas."

// State returns what a server with these options keeps between requests, for [manifest.Manifest.State]: sessions, what
// its controls keep, and withheld results. A store of the embedder's counts as shared by all replicas. The embedder adds
// what else it has, such as the artifacts of a gateway beside it. It is published only if the manifest has it.
func (o *Options) State() []manifest.State {
	var own Options
	if o != nil {
		own = *o
	}
	kept := own.Serve.Controls.State()
	_, memory := own.Replays.(*control.Results)
	kept["results"] = own.Replays != nil && !memory
	if own.Serve.HTTP != serve.NoSessions {
		kept["sessions"] = false
	}
	var list []manifest.State
	for _, s := range states {
		switch isShared, ok := kept[s.name]; {
		case !ok:
		case isShared:
			list = append(list, manifest.State{Name: s.name, Kept: manifest.KeptShared, Description: shared})
		default:
			list = append(list, manifest.State{Name: s.name, Kept: manifest.KeptProcess, Description: s.replicas})
		}
	}
	return list
}
