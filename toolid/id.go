package toolid

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// maxLength is the number of bytes that an id has at most (section 1.1).
const maxLength = 240

// An ID names a tool (section 1.1). Version and Hash are empty when the id has
// none; a valid id has at least one of them. IDs can be compared and be keys of
// maps. The zero value is not valid.
type ID struct {
	Namespace string // [a-z][a-z0-9_-]{0,63}
	Name      string // [A-Za-z_][A-Za-z0-9_.-]{0,127}
	Version   string // [A-Za-z0-9._-]{1,32}
	Hash      string // [0-9a-f]{8}
}

// Parse reads an id as [ID.String] writes it. What it accepts is valid and is
// written back byte for byte. An error says which part is wrong and shows no
// more than the beginning of it.
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

// String returns the id as namespace:name@version#hash, without the parts that
// are empty. It does not check them.
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

// Validate returns what keeps id from being a valid one, or nil: a part outside
// the grammar, or neither version nor hash. Valid parts never add up to more
// than the 240 bytes that an id may have.
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

// Fit returns id with namespace, name and version brought into the grammar:
// the namespace in lower case, each character outside as an underscore, what is
// too long cut, and an "n" (for names "_") before what cannot come first. Parts
// within the grammar stay as they are, and so does the hash, which is what
// tells ids apart that become alike.
func (id ID) Fit() ID {
	id.Namespace = namespacePart.fit(label.Lower(id.Namespace))
	id.Name = namePart.fit(id.Name)
	if id.Version != "" {
		id.Version = versionPart.fit(id.Version)
	}
	return id
}
