package toolid

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxWire is the maximum number of characters of a wire name.
const maxWire = 64

// WireNames spell ids as names that every client accepts, [a-zA-Z0-9_-]{1,64}, and map names back to ids. WireNames are
// immutable and safe for concurrent use. The zero value has no ids.
//
// A name depends on its id alone: github:create_issue#6c5f877d becomes github_create_issue_6c5f877d. An id that is too
// long or has no hash gets a hash of the whole id. If two ids would share a name, which takes a forged hash, both get
// longer names: no id can take over another's name.
type WireNames struct {
	names map[string]string // by id
	ids   map[string]string // by name
}

// NewWireNames returns the names of ids, in any order. Keys of [Distinct] and other texts are accepted too.
func NewWireNames(ids []string) *WireNames {
	w := &WireNames{make(map[string]string, len(ids)), make(map[string]string, len(ids))}
	shared := make(map[string]bool)
	for _, id := range ids {
		name := wireName(id)
		if other, taken := w.ids[name]; taken && other != id {
			shared[name] = true
		}
		w.names[id], w.ids[name] = name, id
	}
	if len(shared) == 0 {
		return w
	}
	for id, name := range w.names {
		if shared[name] {
			delete(w.ids, name)
			name = longWireName(id)
			w.names[id], w.ids[name] = name, id
		}
	}
	return w
}

// Name returns the name of an id, and whether the id is known.
func (w *WireNames) Name(id string) (string, bool) {
	name, ok := w.names[id]
	return name, ok
}

// ID returns the id with a name, and whether there is one.
func (w *WireNames) ID(name string) (string, bool) {
	id, ok := w.ids[name]
	return id, ok
}

// wireName returns a name that ends in an underscore and eight digits.
func wireName(id string) string {
	_, hash, found := cutLast(id, '#')
	if found && len(id) <= maxWire && hashPart.check(hash) == nil {
		return plain(id, maxWire)
	}
	return plain(id, maxWire-9) + "_" + hash8(id)
}

// longWireName returns a name that ends in an underscore and 32 digits. No [wireName] has this form, and no two ids get
// the same.
func longWireName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return plain(id, maxWire-33) + "_" + hex.EncodeToString(sum[:16])
}

var wireClass = classOf("A-Za-z0-9_-")

// plain returns the beginning of s. All characters but letters, digits, underscores and hyphens become underscores.
func plain(s string, most int) string {
	return strings.Map(func(r rune) rune {
		switch most--; {
		case most < 0:
			return -1
		case r < 0x80 && wireClass.has(byte(r)):
			return r
		}
		return '_'
	}, s)
}
