package control

import (
	"crypto/sha256"

	"github.com/cash-mcp/go-sdk/registry"
)

// A planUse is what has become of a token.
type planUse struct {
	stage planStage
	state digest // of a held one: that of the call that goes on with it
}

type planStage uint8

const (
	unused planStage = iota
	spent
	held // by a call that has asked for input
)

// heldFor is that of a token of a call that goes on with the state.
func heldFor(state string) planUse { return planUse{held, sha256.Sum256([]byte(state))} }

// admits reports whether a call may use the token.
func (u planUse) admits(c *registry.Call) bool {
	if u.stage == held && c.Client != nil && (c.Client.Answers != nil || c.Client.State != "") {
		return u == heldFor(c.Client.State)
	}
	return u.stage == unused
}
