// Package control holds what decides about calls between validation and the
// function, as middleware of the call pipeline. Everything is off unless it is
// configured:
//
//	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{
//		{Decision: control.Deny, Anonymous: true},
//		{Decision: control.RequireApproval, Classes: []control.Class{control.Destructive}},
//	}})
//	controls := &control.Controls{Policy: policy, Audit: &control.Audit{}}
//	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Controls: controls}})
//
// A call comes by them in the order of the gateway surface, section 4.5:
//
//	validation ─► Audit ─► Policy ─► Quota ─► Plans ─► Cache ─► Retry ─► function
//	              logs     allows,   counts   binds    answers  tries
//	                       denies,            to a     again    again
//	                       asks               dry run
//
// Each of them is middleware of its own, for those who want another order or
// only one. They see the real function, whatever face it was called through, and
// arguments that are valid for it. Where a [Policy] wants a person to decide,
// [Approvals] say who is asked and how.
//
// Besides, [Replays] keeps results that were too large to deliver.
//
// # Limits
//
// What is counted, kept, or waits for a person lives in the memory of this
// process, bounded in number, size and age. Replicas share it by a [PlanStore],
// [QuotaStore], [CacheStore], [ApprovalStore] and [ReplayStore] of the embedder's
// own. Where there is no room, or a store fails, calls are refused rather than let
// through, and results are not kept.
//
// Policies decide by what functions declare of themselves. For tools of other
// servers that is the word of those servers: allow by name what should be sure,
// or vouch for it when the server is configured.
//
// Asking the client takes its word that there is a person. Where an agent may
// answer for itself, set [ApprovalOptions.OperatorOnly], or decide in
// [ApprovalOptions.Approve].
//
// Calls that the pipeline refuses before, because there is no such function or
// its arguments are not valid, are neither decided about nor audited.
package control
