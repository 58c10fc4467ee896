package disclosure

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/cash-mcp/go-sdk/internal/keyring"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// grantArgument is the name of the argument and of the usage_guidance member that hold a grant.
const grantArgument = "_grant"

// A grant proves, where there are no sessions, that its holder has fetched the description of a tool ([Grants]). fetch.go
// issues grants and face.go checks them. It is four bytes of expiry, in seconds since 1970, four random bytes, which make
// the grants of two fetches different, and twelve bytes of MAC. It takes 27 characters, because the model repeats it in
// each call.
const (
	expirySize = 4
	headSize   = expirySize + 4
	grantSize  = headSize + 12
)

var grantCoding = base64.RawURLEncoding.Strict() // one spelling per grant

// grantDomain separates these MACs from others with the same key.
const grantDomain = "cash/disclosure grant 2"

// issue returns a grant for a tool and the caller in ctx. definition is the text that was fetched: the grant ends when
// it changes.
func (g *Grants) issue(ctx context.Context, now time.Time, tool, definition string) string {
	token := make([]byte, headSize, grantSize)
	binary.BigEndian.PutUint32(token, uint32(min(now.Add(g.TTL).Unix(), math.MaxUint32)))
	_, _ = rand.Read(token[expirySize:]) // it never fails
	mac := keyring.Ring(g.Keys).Sign(signed(ctx, token, tool, definition)...)
	return grantCoding.EncodeToString(append(token, mac[:grantSize-headSize]...))
}

// accepts reports whether a grant is valid for the tool and the caller in ctx, and has not expired.
func (g *Grants) accepts(ctx context.Context, now time.Time, grant, tool, definition string) bool {
	if len(grant) != grantCoding.EncodedLen(grantSize) {
		return false
	}
	token, err := grantCoding.DecodeString(grant)
	if err != nil || len(token) != grantSize {
		return false
	}
	return keyring.Ring(g.Keys).Verify(token[headSize:], signed(ctx, token[:headSize], tool, definition)...) &&
		now.Unix() < int64(binary.BigEndian.Uint32(token))
}

// signed returns everything that a grant is bound to.
func signed(ctx context.Context, head []byte, tool, definition string) []string {
	return []string{grantDomain, string(head), registry.CallerFrom(ctx).Owner(), tool, definition}
}

// takeGrant removes the grant from the arguments of a call. Arguments that are invalid JSON or have two grants stay as
// they are and are refused later. With repair (serve.Options.Repair), a JSON string that holds an object is searched too,
// and stays a string.
func takeGrant(arguments json.RawMessage, repair bool) (rest json.RawMessage, grant string) {
	if strictjson.Check(arguments) != nil {
		return arguments, ""
	}
	switch strictjson.KindOf(arguments) {
	case strictjson.Object:
		return without(arguments, grantArgument)
	case strictjson.String:
		object := json.RawMessage(strictjson.Text(arguments))
		if !repair || strictjson.KindOf(object) != strictjson.Object {
			break
		}
		if rest, grant = takeGrant(object, false); grant != "" {
			return asJSON(string(rest)), grant
		}
	}
	return arguments, ""
}

// without returns an object without a member, with the rest as spelled, and the text of that member.
func without(object json.RawMessage, name string) (rest json.RawMessage, text string) {
	var out strictjson.Builder
	found := false
	for key, value := range strictjson.RawMembers(object) {
		if strictjson.Named(key, name) {
			found, text = true, strictjson.Text(value)
			continue
		}
		out.AddRaw(key, value)
	}
	if !found {
		return object, ""
	}
	return out.Object(), text
}
