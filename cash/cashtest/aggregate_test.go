package cashtest_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// as runs a server for connections of one caller.
type as struct {
	cashtest.Runner
	role string
}

func (a as) Run(ctx context.Context, t mcp.Transport) error {
	return a.Runner.Run(registry.WithCaller(ctx, caller(a.role)), t)
}

// aggregator returns a server that mounts srv at the label pub, and what srv
// shows to its administrators at the label adm, for administrators.
func aggregator(t *testing.T, srv cashtest.Runner) *cash.Server {
	t.Helper()
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := agg.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, s := range []upstream.Server{
		{Label: "pub", Description: "What is for everyone.", Endpoint: upstream.InMemory{Server: srv}},
		{Label: "adm", Description: "What is for administrators.", Endpoint: upstream.InMemory{Server: as{srv, "admin"}},
			VisibleTo: registry.Roles("admin")},
	} {
		if err := agg.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	for _, s := range agg.Status() {
		if s.State != upstream.Connected {
			t.Fatalf("upstream %v is %v: %v", s.Labels, s.State, s.Err)
		}
	}
	return cash.NewServer(reg, &cash.Options{Name: "aggregator", Serve: serve.Options{Identify: identify}})
}

// below returns the target as it looks below a path, mounted by aggregators.
func below(target check.Target, path, admin string) check.Target {
	move := func(s *check.Sample) *check.Sample {
		moved := *s
		moved.Namespace = path + "." + s.Namespace
		return &moved
	}
	target.Read, target.Large, target.Stream = move(target.Read), move(target.Large), move(target.Stream)
	target.Media, target.LargeError = move(target.Media), move(target.LargeError)
	echo := *target.Echo
	echo.Namespace = path + "." + echo.Namespace
	target.Echo = &echo
	sized := target.Sized
	target.Sized = func(chars int) check.Sample {
		s := sized(chars)
		return *move(&s)
	}
	for i := range target.Fails {
		target.Fails[i] = *move(&target.Fails[i])
	}
	effect := *target.Effect
	effect.Sample = *move(&effect.Sample)
	target.Effect = &effect
	skill := *target.Skill
	skill.Namespace = path + "." + skill.Namespace
	for i, keep := range skill.Keeps {
		skill.Keeps[i] = strings.ReplaceAll(keep, `namespace="`, `namespace="`+path+".")
	}
	target.Skill = &skill
	hidden := *target.Hidden
	hidden.Namespace = admin + "." + hidden.Namespace
	target.Hidden = &hidden
	return target
}

// From a client's side an aggregator is a server like any other, also one that
// mounts an aggregator (R120).
func TestComplianceOfAggregators(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		if testing.Short() && version == "2025-11-25" {
			continue // it takes long with the race detector
		}
		fx := func(t *testing.T) fixture { return fixture{filepath.Join(t.TempDir(), "runs")} }
		dial := func(srv *cash.Server) func(string) mcp.Transport {
			return func(role string) mcp.Transport { return cashtest.InMemory(as{srv, role}) }
		}
		t.Run("R120 aggregator "+version, func(t *testing.T) {
			fx := fx(t)
			srv := aggregator(t, fx.server())
			cashtest.Compliance(t, below(fx.target(t, version, dial(srv)), "pub", "adm"))
		})
		t.Run("R120 aggregator of an aggregator "+version, func(t *testing.T) {
			fx := fx(t)
			srv := aggregator(t, aggregator(t, fx.server()))
			cashtest.Compliance(t, below(fx.target(t, version, dial(srv)), "pub.pub", "adm.adm"))
		})
	}
}

// The skills of a server, of an aggregator of it, and of an aggregator of that follow the extension, and agree with the
// tool skill.
func TestSkillsOfAggregators(t *testing.T) {
	fx := fixture{filepath.Join(t.TempDir(), "runs")}
	for name, srv := range map[string]*cash.Server{
		"server": fx.server(), "aggregator": aggregator(t, fx.server()), "aggregator of an aggregator": aggregator(t, aggregator(t, fx.server())),
	} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) {
				cashtest.Skills(t, check.Target{
					Transport: func() mcp.Transport { return cashtest.InMemory(as{srv, "adm"}) }, Version: version, Strict: true,
				})
			})
		}
	}
}
