package control

import "time"

// The stores in memory, for tests of replicas that share one.
func MemoryPlans(now func() time.Time) PlanStore      { return newPlanUses(1000, now) }
func MemoryQuota(now func() time.Time) QuotaStore     { return newSessions(1000, now) }
func MemoryApprovals(age time.Duration) ApprovalStore { return newTickets(1000, 16, age) }
