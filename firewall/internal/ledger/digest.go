package ledger

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A handle is a fixed prefix, which makes it recognizable in texts and logs, and 130 random bits.
const (
	handlePrefix = "art-"
	handleLength = len(handlePrefix) + 26
)

func newHandle() string { return handlePrefix + rand.Text() }

// A Digest is a SHA-256 sum. The stores keep digests of handles, owners and contents only. A digest has a fixed length
// for input of any length, and nobody can open an artifact with the digest of its handle.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a handle or an owner.
func DigestOf(s string) Digest { return sha256.Sum256([]byte(s)) }

// Sum returns the digest of a content.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

// String returns the digest in hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return errors.New("a digest of the wrong length")
	}
	_, err := hex.Decode(d[:], text)
	return err
}
