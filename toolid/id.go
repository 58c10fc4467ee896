package toolid

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// maxLength is the maximum number of bytes of an id (section 1.1).
const maxLength = 240

// An ID names a tool (section 1.1). Version and Hash may be empty, but a valid id has at least one of them. IDs are
// comparable and can be map keys. The zero value is not valid.
type ID struct {
	Namespace string // [a-z][a-z0-9_-]{0,63}
	Name      string // [A-Za-z_][A-Za-z0-9_.-]{0,127}
	Version   string // [A-Za-z0-9._-]{1,32}
	Hash      string // [0-9a-f]{8}
}

// Parse parses an id in the form of [ID.String]. An accepted id is valid and formats to the same bytes. An error names
// the wrong part and quotes only its beginning.
func Parse(s string) (ID, error) {
	id, err := parse(s)
	if err != nil {
		return ID{}, fmt.Errorf("parsing tool id %s: %w", quote(s), err)
	}
	return id, nil
}

func parse(s string) (ID, error) {
	if len(s) > maxLength {
		return ID{}, fmt.Errorf("%d bytes; at most %d are allowed", len(s), maxLength)
	}
	namespace, rest, found := strings.Cut(s, ":")
	if !found {
		return ID{}, errors.New("no ':' after the namespace")
	}
	name, hash, hasHash := cutLast(rest, '#')
	name, version, hasVersion := cutLast(name, '@')
	id := ID{namespace, name, version, hash}
	switch {
	case hasVersion && version == "":
		return ID{}, errors.New("no version after '@'")
	case hasHash && hash == "":
		return ID{}, errors.New("no hash after '#'")
	}
	return id, id.Validate()
}

// cutLast slices s around the last sep.
func cutLast(s string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// String returns the id as namespace:name@version#hash, without empty parts. It does not validate them.
func (id ID) String() string {
	var room [maxLength]byte
	b := append(room[:0], id.Namespace...)
	b = append(b, ':')
	b = append(b, id.Name...)
	if id.Version != "" {
		b = append(b, '@')
		b = append(b, id.Version...)
	}
	if id.Hash != "" {
		b = append(b, '#')
		b = append(b, id.Hash...)
	}
	return string(b)
}

// Validate returns an error if id is not valid: a part outside the grammar, or neither version nor hash. Valid parts
// never exceed the 240 bytes of an id.
func (id ID) Validate() error {
	if err := id.check(); err != nil {
		return err
	}
	if id.Hash != "" {
		return hashPart.check(id.Hash)
	}
	if id.Version == "" {
		return errors.New("neither version nor hash")
	}
	return nil
}

// check is Validate for an id that has no hash yet.
func (id ID) check() error {
	if err := namespacePart.check(id.Namespace); err != nil {
		return err
	}
	if err := namePart.check(id.Name); err != nil {
		return err
	}
	if id.Version != "" {
		return versionPart.check(id.Version)
	}
	return nil
}

// Fit returns id with namespace, name and version changed to match the grammar. The namespace becomes lower case,
// illegal characters become underscores, long parts are cut, and "n" (for names "_") precedes an illegal first
// character. Valid parts and the hash stay as they are; the hash distinguishes ids that become equal.
func (id ID) Fit() ID {
	id.Namespace = namespacePart.fit(label.Lower(id.Namespace))
	id.Name = namePart.fit(id.Name)
	if id.Version != "" {
		id.Version = versionPart.fit(id.Version)
	}
	return id
}
