// Package keyring signs short tokens with keys that rotate.
//
//	ring := keyring.New(opts.Keys)          // the first key signs, all verify
//	mac := ring.Sign("plan", head, owner)
//	ok := ring.Verify(mac, "plan", head, owner)
//
// # Limits
//
// Keys are those of the constructor: another list takes another Ring.
package keyring

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	minKey  = 32 // bytes: those of a MAC
	maxKeys = 8
)

// A Ring is the keys that sign and verify. It is immutable and safe for concurrent use.
type Ring [][]byte

// Check returns the error of keys that New does not take: none, too many, or one that is too short or given twice. Nil
// is valid.
func Check(keys [][]byte) error {
	switch {
	case keys == nil:
		return nil
	case len(keys) == 0:
		return errors.New("no key; leave the option nil for a random one")
	case len(keys) > maxKeys:
		return fmt.Errorf("%d keys; at most %d are taken: leave out those whose tokens have expired", len(keys), maxKeys)
	}
	for i, key := range keys {
		if len(key) < minKey {
			return fmt.Errorf("key %d of %d has %d bytes; it takes at least %d", i+1, len(keys), len(key), minKey)
		}
		if slices.ContainsFunc(keys[:i], func(other []byte) bool { return hmac.Equal(other, key) }) {
			return fmt.Errorf("key %d of %d is given twice", i+1, len(keys))
		}
	}
	return nil
}

// New returns a ring of copies of valid keys. Nil is one random key.
func New(keys [][]byte) Ring {
	if keys == nil {
		key := make([]byte, minKey)
		rand.Read(key)
		return Ring{key}
	}
	ring := make(Ring, len(keys))
	for i, key := range keys {
		ring[i] = slices.Clone(key)
	}
	return ring
}

// Sign returns the MAC of parts by the first key: 32 bytes, of which a token may hold the first 12 or more.
func (r Ring) Sign(parts ...string) []byte { return mac(r[0], digest(parts)) }

// Verify reports whether m is the beginning of the MAC of parts by any of the keys. The time does not depend on which.
func (r Ring) Verify(m []byte, parts ...string) bool {
	sum, ok := digest(parts), false
	for _, key := range r {
		full := mac(key, sum)
		ok = hmac.Equal(full[:min(len(m), len(full))], m) || ok
	}
	return ok && len(m) >= minMAC
}

// minMAC is the least number of bytes of a MAC that is taken.
const minMAC = 12

// digest returns a hash of parts. Parts have their lengths before them, so that they cannot run together.
func digest(parts []string) []byte {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

func mac(key, sum []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(sum)
	return h.Sum(nil)
}
