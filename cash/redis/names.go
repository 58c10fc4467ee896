package redis

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// minKey is the least number of bytes of [Options.Key].
const minKey = 32

// A namer makes the names of owners, tokens and handles in keys. They reveal nothing, and have one length.
type namer struct{ key []byte }

func newNamer(secret []byte) namer {
	if secret == nil {
		return namer{}
	}
	return namer{derive(secret, "cash names")}
}

// derive returns the key of one use of the secret.
func derive(secret []byte, use string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, use, 32)
	if err != nil {
		panic(err) // not reached: 32 bytes are few
	}
	return key
}

// of returns the name of the parts, which is that of no other parts.
func (n namer) of(parts ...string) string {
	h := sha256.New()
	if n.key != nil {
		h = hmac.New(sha256.New, n.key)
	}
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])
}

// key returns a key of the hash tag: cash:plan:{tag}rest.
func (c *Client) key(kind, tag, rest string) string {
	return c.opts.Prefix + kind + ":{" + tag + "}" + rest
}
