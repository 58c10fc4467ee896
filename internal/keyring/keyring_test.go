package keyring_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/keyring"
)

func key(fill byte) []byte { return bytes.Repeat([]byte{fill}, 32) }

// The first key signs, and every key verifies.
func TestRing(t *testing.T) {
	before, both, after := keyring.New([][]byte{key(1)}), keyring.New([][]byte{key(2), key(1)}), keyring.New([][]byte{key(2)})
	old, young := before.Sign("a", "b"), both.Sign("a", "b")
	for _, tt := range []struct {
		name string
		ring keyring.Ring
		mac  []byte
		want bool
	}{
		{"its own", before, old, true},
		{"a former key", both, old, true},
		{"the first key", both, young, true},
		{"the same key alone", after, young, true},
		{"a removed key", after, old, false},
		{"a key to come", before, young, false},
		{"the beginning", both, old[:12], true},
		{"too little of it", both, old[:11], false},
		{"nothing", both, nil, false},
		{"more than it", both, append(bytes.Clone(old), 0), false},
		{"a random key", keyring.New(nil), old, false},
	} {
		if got := tt.ring.Verify(tt.mac, "a", "b"); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
	for _, other := range [][]string{{"ab"}, {"ab", ""}, {"", "ab"}, {"a"}, {"b", "a"}, {"a", "b", ""}} {
		if before.Verify(old, other...) {
			t.Errorf("the parts %q have the same MAC", other)
		}
	}
}

// A ring keeps copies.
func TestRingCopies(t *testing.T) {
	k := key(1)
	ring := keyring.New([][]byte{k})
	mac := ring.Sign("a")
	k[0] = 9
	if !ring.Verify(mac, "a") || !bytes.Equal(mac, ring.Sign("a")) {
		t.Error("the key was not copied")
	}
}

func TestCheck(t *testing.T) {
	many := make([][]byte, 9)
	for i := range many {
		many[i] = key(byte(i))
	}
	for _, tt := range []struct {
		keys [][]byte
		want string
	}{
		{nil, ""},
		{[][]byte{key(1)}, ""},
		{many[:8], ""},
		{[][]byte{}, "no key"},
		{[][]byte{nil}, "key 1 of 1 has 0 bytes"},
		{[][]byte{key(1), []byte("secret")}, "key 2 of 2 has 6 bytes; it takes at least 32"},
		{[][]byte{key(1), key(2), key(1)}, "key 3 of 3 is given twice"},
		{many, "9 keys; at most 8"},
	} {
		err := keyring.Check(tt.keys)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%d keys: %v, want %q", len(tt.keys), err, tt.want)
		}
	}
}
