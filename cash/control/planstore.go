package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A PlanStore remembers used plan tokens. The default lives in memory and serves one process; replicas with the same
// [PlanOptions.Keys] can share another.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use, and each method is atomic.
//   - It remembers a claim until the token expires. If it is full, it refuses new claims and forgets none.
//   - It answers within the deadline of ctx.
//
// Any error of Claim refuses the call.
type PlanStore interface {
	// Claim uses up a token and reports whether it could. Anyone may claim an unused token. A held token can only be
	// claimed with the state that it is held for; was is then that state, and empty for an unused token. state is empty
	// for the first round of a call. The error is [ErrNoRoom] if the claim cannot be remembered.
	Claim(ctx context.Context, token, state string, expires time.Time) (was string, claimed bool, err error)
	// Release returns a claimed token: held for state, or unused if state is empty. A token that has expired may be
	// forgotten.
	Release(ctx context.Context, token, state string) error
}

// planUses is the [PlanStore] in memory. The value is the state that a token is held for.
type planUses struct {
	used *bounded.Store[string, string]
	all  bounded.Share
}

func newPlanUses(most int, now func() time.Time) *planUses {
	return &planUses{bounded.New[string, string](now, nil), bounded.Share{Most: bounded.Amount{Count: int64(most)}}}
}

// Claim implements [PlanStore].
func (p *planUses) Claim(_ context.Context, token, state string, expires time.Time) (string, bool, error) {
	p.used.Lock()
	defer p.used.Unlock()
	if it := p.used.Get(token); it != nil {
		was := it.Value
		if was == "" || was != state {
			return "", false, nil
		}
		it.Value = ""
		return was, true, nil
	}
	if !p.used.Now().Before(expires) { // an expired token may be forgotten
		return "", false, nil
	}
	if p.used.Put(token, "", bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: expires, Promised: expires}, p.all) == nil {
		return "", false, ErrNoRoom
	}
	return "", true, nil
}

// Release implements [PlanStore].
func (p *planUses) Release(_ context.Context, token, state string) error {
	p.used.Lock()
	defer p.used.Unlock()
	switch it := p.used.Get(token); {
	case it == nil:
	case state == "":
		p.used.Remove(it)
	default:
		it.Value = state
	}
	return nil
}
