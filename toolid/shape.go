package toolid

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Hash returns the shape hash of section 1.3 in eight hexadecimal digits. It covers
//
//   - the name as the source spells it,
//   - the names of the schema's top-level properties, and
//   - the names in its required array.
//
// Types and descriptions do not count. As in Python, a false value (null, false, 0, an empty text, array or object) is
// an empty schema or member, and the last of two equal keys counts. An empty inputSchema has no parameters.
//
// The error says that the schema is not JSON in UTF-8, or not an object, or has properties that are not an object, or a
// non-string in required. A hash over the readable rest is returned even with an error.
func Hash(name string, inputSchema json.RawMessage) (string, error) {
	sum, err := digest(name, inputSchema)
	return hex.EncodeToString(sum[:4]), err
}

// digest returns the full hash; Hash returns its first digits.
func digest(name string, inputSchema []byte) ([sha256.Size]byte, error) {
	s, err := readShape(inputSchema)
	var room [512]byte
	b := append(room[:0], name...)
	b = append(b, "\n{\"properties\":"...)
	b = appendNames(b, s.properties)
	b = append(b, ",\"required\":"...)
	b = appendNames(b, s.required)
	b = append(b, '}')
	return sha256.Sum256(b), err
}

// hash8 returns the first eight digits of the hash of text.
func hash8(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// A shape is the part of a schema that counts in a hash, sorted by code point.
type shape struct{ properties, required [][]byte }

func readShape(schema []byte) (s shape, err error) {
	switch {
	case len(schema) == 0:
		return s, nil
	case !utf8.Valid(schema):
		return s, errors.New("input schema is not valid UTF-8")
	case !json.Valid(schema):
		return s, fmt.Errorf("input schema: %w", json.Unmarshal(schema, new(struct{})))
	}
	schema = bytes.TrimSpace(schema)
	if isNothing(schema) {
		return s, nil
	}
	if schema[0] != '{' {
		return s, errors.New("input schema is not an object")
	}
	var properties, required []byte
	for key, value := range strictjson.RawMembers(schema) {
		switch string(strictjson.Unquote(key)) {
		case "properties":
			properties = value
		case "required":
			required = value
		}
	}
	var errProperties, errRequired error
	s.properties, errProperties = readProperties(properties)
	s.required, errRequired = readRequired(required)
	return s, cmp.Or(errProperties, errRequired)
}

// readProperties returns the keys of an object, without duplicates.
func readProperties(data []byte) (names [][]byte, err error) {
	if isNothing(data) {
		return nil, nil
	}
	if data[0] != '{' {
		return nil, errors.New("input schema: properties is not an object")
	}
	names = make([][]byte, 0, 8)
	for key := range strictjson.RawMembers(data) {
		names = append(names, strictjson.Unquote(key))
	}
	slices.SortFunc(names, bytes.Compare)
	return slices.CompactFunc(names, bytes.Equal), nil
}

// readRequired returns the texts of an array, with duplicates.
func readRequired(data []byte) (names [][]byte, err error) {
	if isNothing(data) {
		return nil, nil
	}
	if data[0] != '[' {
		return nil, errors.New("input schema: required is not an array")
	}
	names = make([][]byte, 0, 8)
	for _, value := range strictjson.Elements(data) {
		if value[0] != '"' {
			return nil, errors.New("input schema: required holds something other than strings")
		}
		names = append(names, strictjson.Unquote(value))
	}
	slices.SortFunc(names, bytes.Compare)
	return names, nil
}

// isNothing reports whether a value is missing, or false in Python.
func isNothing(value []byte) bool {
	if len(value) == 0 {
		return true
	}
	switch value[0] {
	case 'n', 'f':
		return true
	case 't':
		return false
	case '"':
		return len(value) == len(`""`)
	case '{', '[':
		return value[strictjson.SkipSpace(value, 1)] == value[len(value)-1]
	}
	number, _ := strconv.ParseFloat(string(value), 64) // an overflow is not zero
	return number == 0
}
