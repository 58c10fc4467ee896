// Package control holds the middleware that decides about calls, between validation and function. Audit, policy, quota,
// plans, cache and retry are opt-in:
//
//	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{
//		{Decision: control.Deny, Anonymous: true},
//		{Decision: control.RequireApproval, Classes: []control.Class{control.Destructive}},
//	}})
//	controls := &control.Controls{Policy: policy, Audit: &control.Audit{}}
//	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Controls: controls}})
//
// A call passes them in the order of the gateway surface, section 4.5:
//
//	validation ─► Audit ─► Policy ─► Quota ─► Plans ─► Cache ─► Retry ─► function
//	              logs     allows,   counts   binds    answers  tries
//	                       denies,            to a     again    again
//	                       asks               dry run
//
// Each of them is middleware of its own and can be used alone or in another order. They see the real function, whatever
// face it was called through, and valid arguments. If a [Policy] requires a person's decision, [Approvals] ask for it.
// [Results] keep what was too large to deliver.
//
// # Limits
//
// Counts, results and open questions live in the memory of this process, bounded in number, size and age. Replicas
// share them with the embedder's own [PlanStore], [QuotaStore], [ResultStore] and [ApprovalStore]. If a store is full
// or fails, calls are refused, and results are not kept.
//
// Policies rely on the declarations of functions. For tools of other servers those are claims of the servers: allow
// such tools by name, or vouch for the server in its configuration.
//
// Elicitation trusts the client that there is a person. If an agent may answer for itself, set
// [ApprovalOptions.OperatorOnly], or decide in [ApprovalOptions.Approve].
//
// The pipeline refuses calls of unknown functions and calls with invalid arguments before the controls. Those calls are
// not audited.
package control
