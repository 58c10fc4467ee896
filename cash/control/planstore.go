package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A PlanStore remembers which plan tokens are used. The one in memory serves one
// process; replicas of a server that have the same [PlanOptions.Key] share another.
//
// Duties of an implementer: it is safe for concurrent use; each method is one step,
// whoever else calls it; it remembers a claim until the token expires, and refuses
// further ones rather than to forget one; it answers within the deadline of ctx. Any
// error of Claim refuses the call.
type PlanStore interface {
	// Claim uses a token up, and reports whether it may be used: by anyone if it is
	// unused, and if it is held, only with the state that it is held for. was is that
	// state, and empty for a token that was unused. state is empty for a call that
	// begins. The error is [ErrNoRoom] if the claim cannot be remembered.
	Claim(ctx context.Context, token, state string, expires time.Time) (was string, claimed bool, err error)
	// Release gives a claimed token back: to be held for state, or unused if that is
	// empty. A token that has expired since may be forgotten.
	Release(ctx context.Context, token, state string) error
}

// planUses is the [PlanStore] in memory. The value is the state that a token is held
// for.
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
	if !p.used.Now().Before(expires) { // its use may be forgotten
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
