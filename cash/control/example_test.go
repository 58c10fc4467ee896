package control_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// bank is a registry with a function that pays, and one that reads.
func bank() *registry.Registry {
	reg := registry.New(nil)
	pay := registry.Func("pay", "Pay somebody.", func(_ context.Context, in struct {
		To    string `json:"to" jsonschema:"Who is paid."`
		Cents int    `json:"cents" jsonschema:"How much."`
	}) (string, error) {
		return "paid " + in.To, nil
	}, registry.Destructive(true))
	balance := registry.Func("balance", "Tell the balance.", func(context.Context, struct{}) (string, error) { return "12.50", nil }, registry.ReadOnly)
	reg.Namespace("bank", "Money.").Add(pay, balance)
	return reg
}

// untimed logs without what differs from run to run.
func untimed() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "time", "duration", "id", "tool", "kind":
			return slog.Attr{}
		}
		return a
	}}))
}

func ExampleControls() {
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{
		{Decision: control.Deny, Anonymous: true, Classes: []control.Class{control.Destructive, control.Writes}},
	}})
	controls := &control.Controls{Policy: policy, Audit: &control.Audit{Logger: untimed()}}
	srv := cash.NewServer(bank(), &cash.Options{Serve: serve.Options{Controls: controls}})

	for _, function := range []string{"balance", "pay"} {
		_, err := srv.Call(context.Background(), &cash.CallRequest{
			Namespace: "bank", Function: function, Kwargs: []byte(map[string]string{"pay": `{"to":"Ada","cents":100}`}[function]),
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// level=INFO msg=execute.completed path=bank.balance class=read_only repairs=0 outcome=ok is_error=false size=5
	// level=INFO msg=execute.denied path=bank.pay class=destructive repairs=0 outcome=DENIED is_error=true size=0
	// The policy of this server does not allow this call of `pay`. Do not repeat it: the answer will be the same. Go on without it, or tell the user.
}

// Rules are asked in order; what is not read-only goes to a person.
func ExampleNewPolicy() {
	policy := control.NewPolicy(&control.PolicyOptions{
		Rules: []control.Rule{
			{Decision: control.Deny, Tools: []string{"**.drop_*"}, Reason: "Tables are not dropped from here."},
			{Decision: control.Allow, Classes: []control.Class{control.ReadOnly}},
			{Decision: control.Allow, Namespaces: []string{"sandbox"}, Roles: []string{"developer"}},
		},
		Default: control.RequireApproval,
	})
	for f := range bank().All() {
		decision, _ := policy.Decide(&registry.Call{Function: f})
		fmt.Println(f.Path(), decision)
	}
	// Output:
	// bank.balance allow
	// bank.pay require_approval
}

// Where no person can be asked at the client, the operator approves.
func ExampleApprovals() {
	approvals := control.NewApprovals(nil)
	policy := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: approvals})
	srv := cash.NewServer(bank(), &cash.Options{Serve: serve.Options{Middleware: (&control.Controls{Policy: policy}).Middleware()}})

	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "agent-7"})
	pay := &cash.CallRequest{Namespace: "bank", Function: "pay", Kwargs: []byte(`{"to":"Ada","cents":100}`)}
	_, err := srv.Call(ctx, pay)
	fmt.Println(registry.AsError(err).Message)

	pending, err := approvals.Pending(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, request := range pending { // a page of the operator's own
		fmt.Println(request.Caller.ID, "wants", request.Function.Path())
		if _, err := approvals.Approve(context.Background(), request.ID); err != nil {
			log.Fatal(err)
		}
	}
	result, err := srv.Call(ctx, pay)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	// Output:
	// This call of `pay` needs the approval of a person. It was not run.
	// agent-7 wants bank.pay
	// paid Ada
}

func ExampleAudit() {
	audit := &control.Audit{Logger: untimed()}
	srv := cash.NewServer(bank(), &cash.Options{Serve: serve.Options{Middleware: []registry.Middleware{audit.Middleware()}}})
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "agent-7"})
	if _, err := srv.Call(ctx, &cash.CallRequest{Namespace: "bank", Function: "balance"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// level=INFO msg=execute.completed path=bank.balance class=read_only repairs=0 caller=agent-7 outcome=ok is_error=false size=5
}
