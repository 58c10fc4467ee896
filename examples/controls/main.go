// Command controls has a bank whose calls are decided about: who may call, what a person approves, how often, and what
// was planned. It shows what callers get, and the log:
//
//	go run ./examples/controls
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

type payment struct {
	To    string `json:"to" jsonschema:"Who is paid."`
	Cents int    `json:"cents" jsonschema:"How much." cash:"min=1"`
}

type account struct {
	ID string `json:"id" jsonschema:"Id of the account."`
}

func newRegistry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("bank", "Accounts and payments.").Add(
		registry.Func("balance", "Tell the balance.", func(context.Context, struct{}) (string, error) {
			return "12.50", nil
		}, registry.ReadOnly),
		registry.Func("pay", "Pay somebody.", func(_ context.Context, in payment) (string, error) {
			return "paid " + in.To, nil
		}, registry.Destructive(false), registry.OpenWorld(true)),
		registry.Func("close", "Close an account for good.", func(_ context.Context, in account) (string, error) {
			return "closed " + in.ID, nil
		}, registry.Destructive(true)),
	)
	return reg
}

// newControls decide about calls. A nil member is off.
func newControls(approvals *control.Approvals, logger *slog.Logger) *control.Controls {
	return &control.Controls{
		Policy: control.NewPolicy(&control.PolicyOptions{Approvals: approvals, Rules: []control.Rule{
			{Decision: control.Allow, Classes: []control.Class{control.ReadOnly}},
			{Decision: control.Deny, Anonymous: true, Reason: "Log in to change something."},
			{Decision: control.RequireApproval, Tools: []string{"bank.close"}},
		}}),
		Quota: control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"bank.balance": {PerMinute: 2}}}),
		Plans: control.NewPlans(&control.PlanOptions{
			Require: func(c *registry.Call) bool { return c.Function.Path() == "bank.pay" },
		}),
		Audit: &control.Audit{Logger: logger},
	}
}

func newServer(controls *control.Controls) *cash.Server {
	return cash.NewServer(newRegistry(), &cash.Options{Name: "bank", Version: "1.0.0", Serve: serve.Options{Controls: controls}})
}

func run(ctx context.Context, out io.Writer) error {
	approvals := control.NewApprovals(nil)
	srv := newServer(newControls(approvals, newLogger(out)))
	ada := registry.WithCaller(ctx, &registry.Caller{ID: "ada"})

	call := func(ctx context.Context, function, kwargs, token string, dry bool) string {
		fmt.Fprintf(out, "%s %s\n", function, kwargs)
		res, err := srv.Call(ctx, &cash.CallRequest{
			Namespace: "bank", Function: function, Kwargs: json.RawMessage(kwargs), PlanToken: token, DryRun: dry,
		})
		if err != nil {
			fmt.Fprintf(out, "  %s\n", registry.AsError(err).Message)
			return ""
		}
		if dry {
			return res.Text()
		}
		fmt.Fprintf(out, "  %s\n", res.Text())
		return ""
	}
	section := func(name string) { fmt.Fprintf(out, "# %s\n", name) }

	section("policy")
	call(ctx, "balance", `{}`, "", false)
	call(ctx, "close", `{"id":"A-1"}`, "", false)

	section("approval")
	call(ada, "close", `{"id":"A-1"}`, "", false)
	pending, err := approvals.Pending(ctx)
	if err != nil {
		return err
	}
	for _, p := range pending { // on a page of the operator
		fmt.Fprintf(out, "the operator approves %s of %s\n", p.Function.Path(), p.Caller.ID)
		if _, err := approvals.Approve(ctx, p.ID); err != nil {
			return err
		}
	}
	call(ada, "close", `{"id":"A-1"}`, "", false)

	section("dry run")
	call(ada, "pay", `{"to":"Bob","cents":100}`, "", false)
	var plan struct {
		Token string `json:"plan_token"`
	}
	if err := json.Unmarshal([]byte(call(ada, "pay", `{"to":"Bob","cents":100}`, "", true)), &plan); err != nil {
		return err
	}
	call(ada, "pay", `{"to":"Bob","cents":900}`, plan.Token, false)
	call(ada, "pay", `{"to":"Bob","cents":100}`, plan.Token, false)

	section("quota")
	for range 3 {
		call(ada, "balance", `{}`, "", false)
	}
	return nil
}

// newLogger logs without what differs each time.
func newLogger(out io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "time", "duration", "id", "tool", "kind", "level", "size", "repairs", "is_error":
			return slog.Attr{}
		}
		return a
	}}))
}
