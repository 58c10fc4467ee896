package disclosure

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// grantArgument is the name of the argument, and of the member, that a grant is
// in.
const grantArgument = "_grant"

// A grant is four bytes of expiry, in seconds since 1970, and sixteen of the MAC,
// in 27 characters: a model writes it again in each call.
const (
	expirySize = 4
	grantSize  = expirySize + 16
)

var grantCoding = base64.RawURLEncoding.Strict() // one spelling for each

// grantDomain keeps the MACs apart from others under the same key.
const grantDomain = "cash/disclosure grant 1"

// issue returns a grant of a tool for the caller in ctx.
func (g *Grants) issue(ctx context.Context, now time.Time, tool, definition string) string {
	token := make([]byte, expirySize, grantSize)
	binary.BigEndian.PutUint32(token, uint32(min(now.Add(g.TTL).Unix(), math.MaxUint32)))
	return grantCoding.EncodeToString(append(token, g.mac(ctx, token, tool, definition)...))
}

// accepts reports whether a grant is one of the tool, for the caller in ctx, and
// has not expired.
func (g *Grants) accepts(ctx context.Context, now time.Time, grant, tool, definition string) bool {
	if len(grant) != grantCoding.EncodedLen(grantSize) {
		return false
	}
	token, err := grantCoding.DecodeString(grant)
	if err != nil || len(token) != grantSize {
		return false
	}
	mac := g.mac(ctx, token[:expirySize], tool, definition)
	return hmac.Equal(mac, token[expirySize:]) && now.Unix() < int64(binary.BigEndian.Uint32(token))
}

// mac is over all that a grant is bound to. Each part comes after its length, so
// that none can run into the next.
func (g *Grants) mac(ctx context.Context, expiry []byte, tool, definition string) []byte {
	h := hmac.New(sha256.New, g.Key)
	owner := registry.CallerFrom(ctx).Owner()
	for _, part := range []string{grantDomain, string(expiry), owner, tool, definition} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)[:grantSize-expirySize]
}

// takeGrant takes the grant out of the arguments of a call. Arguments that are
// not valid JSON, or name it twice, stay as they are, to be refused. A text that
// holds an object is looked into if repair is set, and stays a text.
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

// without returns an object without a member, the rest as it is spelled, and the
// text of that member.
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
