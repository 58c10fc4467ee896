package firewall

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// Handles begin with a prefix, so that one is known for what it is in a text or
// a log. What follows has 130 random bits.
const (
	handlePrefix = "art-"
	handleLength = len(handlePrefix) + 26
)

func newHandle() string { return handlePrefix + rand.Text() }

// A digest is a SHA-256 sum. The stores know handles, owners and contents by
// theirs only: it has one length whatever a caller sends, and whoever reads the
// index of a store cannot open anything with what stands there.
type digest [sha256.Size]byte

func digestOf(s string) digest { return sha256.Sum256([]byte(s)) }

func sumOf(data []byte) digest { return sha256.Sum256(data) }

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return errors.New("a digest of the wrong length")
	}
	_, err := hex.Decode(d[:], text)
	return err
}
