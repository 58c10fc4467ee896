package control

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// A planToken is 32 bytes: a random number, the expiry, and a signature over both and the call.
type planToken struct {
	head [16]byte
	mac  [16]byte
}

const planPrefix = "plan-"

var planEncoding = base64.RawURLEncoding.Strict() // one spelling per token

// token returns a new token for the call.
func (p *Plans) token(c *registry.Call) string {
	var t planToken
	rand.Read(t.head[:8])
	binary.BigEndian.PutUint64(t.head[8:], uint64(p.opts.Now().Add(p.opts.MaxAge).UnixMilli()))
	return planPrefix + planEncoding.EncodeToString(append(t.head[:], p.sign(t, c)...))
}

// sign returns the signature of a token for the call.
func (p *Plans) sign(t planToken, c *registry.Call) []byte {
	h := hmac.New(sha256.New, p.opts.Key)
	writeParts(h, "plan", string(t.head[:]))
	writeBinding(h, c)
	return h.Sum(nil)[:len(t.mac)]
}

func (t planToken) expires() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(t.head[8:])))
}

// id identifies the token in a [PlanStore].
func (t planToken) id() string { return planEncoding.EncodeToString(t.mac[:]) }

// parsePlanToken parses a token. The text is not trusted.
func parsePlanToken(text string) (t planToken, ok bool) {
	text, ok = strings.CutPrefix(text, planPrefix)
	if !ok || len(text) != planEncoding.EncodedLen(len(t.head)+len(t.mac)) {
		return t, false
	}
	data, err := planEncoding.DecodeString(text)
	if err != nil || len(data) != len(t.head)+len(t.mac) { // the decoder skips line ends
		return t, false
	}
	copy(t.head[:], data)
	copy(t.mac[:], data[len(t.head):])
	return t, true
}
