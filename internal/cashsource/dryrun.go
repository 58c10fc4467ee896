package cashsource

import (
	"context"
	"maps"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a server's report of a dry run.
const (
	maxChecks = 100
	maxWord   = 64 // characters of a check's name and status
)

// isToken matches plan tokens of servers that mount one another.
var isToken = regexp.MustCompile(`^[A-Za-z0-9._-]{1,512}$`)

// planner returns the [registry.Remote].Plan of a function. The server is asked through help, which runs nothing even
// if the server has been replaced by one that takes no dry runs.
func (v view) planner(path, name string) func(context.Context, *registry.Call) error {
	return func(ctx context.Context, c *registry.Call) error {
		meta := mcp.Meta{registry.MetaDryRun: true}
		maps.Copy(meta, v.meta(c))
		place := v.placeOf(path)
		text, err := v.ask(ctx, place, "help", name, v.dialect.arguments("help", pageArguments("help", path, name, c.Arguments)), meta)
		if err != nil {
			e := *registry.AsError(err)
			e.NotRun = true
			return &e
		}
		report := []byte(text)
		if strictjson.CheckDepth(report, strictjson.MaxDepth+1) != nil || string(strictjson.Member(report, "dry_run")) != "true" {
			c.Plan.Extend([]registry.PlanCheck{{
				Name: "dry_run", Status: registry.CheckPartial, Server: v.mount.Label, Detail: "The server made no report: its own checks are not known.",
			}}, "")
			return nil
		}
		token := strictjson.Text(strictjson.Member(report, "plan_token"))
		if !isToken.MatchString(token) {
			token = ""
		}
		c.Plan.Extend(v.checks(strictjson.Member(report, "checks")), token)
		return nil
	}
}

// checks returns the checks in a server's report, each with the place of the server that made it.
func (v view) checks(list []byte) (checks []registry.PlanCheck) {
	for i, one := range strictjson.Elements(list) {
		if i == maxChecks {
			break
		}
		text := func(member string, most int) string {
			return clean.Line(strictjson.Text(strictjson.Member(one, member)), most)
		}
		c := registry.PlanCheck{Name: text("name", maxWord), Status: text("status", maxWord), Server: v.mount.Label}
		c.Detail, c.Message = v.text.Text(text("detail", 2*maxReason)), v.text.Text(text("message", 2*maxReason))
		if after := 0; strictjson.Take(&after, strictjson.Member(one, "retry_after")) && after > 0 {
			c.RetryAfter = int64(after)
		}
		if at := text("server", 4*maxWord); at != "" && wire.CanonicalPath(at) != "" {
			c.Server = wire.Join(v.mount.Label, at)
		}
		if c.Name != "" && c.Status != "" {
			checks = append(checks, c)
		}
	}
	return checks
}
