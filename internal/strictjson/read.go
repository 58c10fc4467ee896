package strictjson

import (
	"bytes"
	"iter"
	"strconv"
)

// A Kind is the type of a JSON value. The zero value is Null.
type Kind uint8

// The six types of JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "boolean", "number", "string", "array", "object"}

// String returns the word that JSON Schema uses for the type, such as boolean.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// KindOf returns the type of a value by its first byte that is not white space. Without such a byte it returns Null.
func KindOf(data []byte) Kind {
	i := SkipSpace(data, 0)
	if i == len(data) {
		return Null
	}
	switch c := data[i]; c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}

// Trim returns data without the white space around it.
func Trim(data []byte) []byte {
	i, j := SkipSpace(data, 0), len(data)
	for j > i && isSpace(data[j-1]) {
		j--
	}
	return data[i:j]
}

// Text returns the value of a string, without quotes and escapes, and "" for other types.
func Text(data []byte) string {
	data = Trim(data)
	if len(data) < 2 || data[0] != '"' {
		return ""
	}
	return inner(data)
}

// Strings returns the set of all strings in a value, names of members too. To search the value once per text would be
// quadratic.
func Strings(data []byte) map[string]bool {
	set := make(map[string]bool)
	for i := 0; i < len(data); {
		if data[i] != '"' {
			i++
			continue
		}
		end := skipString(data, i)
		set[inner(data[i:end])] = true
		i = end
	}
	return set
}

// inner unescapes a trimmed string.
func inner(quoted []byte) string {
	raw := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return string(unescape(make([]byte, 0, len(raw)), raw))
}

// Members returns the members of an object in order: the unescaped key and the raw value without surrounding white
// space. Other types have none. Values are slices of data; keys are copies.
func Members(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for key, value := range RawMembers(data) {
			if !yield(inner(key), value) {
				return
			}
		}
	}
}

// RawMembers is Members with raw keys, including quotes and escapes. It does not allocate.
func RawMembers(data []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		i := SkipSpace(data, 0)
		if i == len(data) || data[i] != '{' {
			return
		}
		for i = SkipSpace(data, i+1); i < len(data) && data[i] == '"'; i = NextItem(data, i) {
			end := skipString(data, i)
			key := data[i:end]
			i = SkipSpace(data, end)                 // the colon
			i = SkipSpace(data, min(i+1, len(data))) // the value
			end = Skip(data, i)
			if len(key) < 2 || !yield(key, data[i:end]) {
				return
			}
			i = end
		}
	}
}

// Elements returns the elements of an array in order: the index and the raw value without surrounding white space.
// Other types have none. Values are slices of data.
func Elements(data []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := SkipSpace(data, 0)
		if i == len(data) || data[i] != '[' {
			return
		}
		i = SkipSpace(data, i+1)
		for n := 0; i < len(data) && data[i] != ']'; n++ {
			end := Skip(data, i)
			if end == i || !yield(n, data[i:end]) {
				return
			}
			i = NextItem(data, end)
		}
	}
}

// NextItem returns the index of the next member or element after one that ends at i, or of the closing bracket.
func NextItem(data []byte, i int) int {
	i = SkipSpace(data, i)
	if i < len(data) && data[i] == ',' {
		return SkipSpace(data, i+1)
	}
	return i
}

// Skip returns the index after the value that begins at data[i], which must not be white space. Check must have
// accepted data.
func Skip(data []byte, i int) int {
	if i >= len(data) {
		return len(data)
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	for i < len(data) && !delimiter[data[i]] {
		i++
	}
	return i
}

// delimiter marks the bytes that end a number or a literal.
var delimiter = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, ',': true, ']': true, '}': true, ':': true}

// skipNested returns the index after the array or object that begins at i.
func skipNested(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			i = skipString(data, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

// skipString returns the index after the string whose opening quote is at i.
func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			break
		}
		from := i
		i += n
		escaped := false
		for j := i; j > from && data[j-1] == '\\'; j-- {
			escaped = !escaped
		}
		if !escaped {
			return i + 1
		}
	}
	return len(data)
}

// SkipSpace returns the index of the first byte from i on that is not white
// space, or len(data).
func SkipSpace(data []byte, i int) int {
	for i < len(data) && isSpace(data[i]) {
		i++
	}
	return i
}

// Decode returns a value as encoding/json decodes it into an empty interface. A number that no float64 holds is nil.
func Decode(data []byte) any {
	switch KindOf(data) {
	case Null:
		return nil
	case Bool:
		return Trim(data)[0] == 't'
	case Number:
		n, err := strconv.ParseFloat(string(Trim(data)), 64)
		if err != nil {
			return nil
		}
		return n
	case String:
		return Text(data)
	case Array:
		list := []any{}
		for _, element := range Elements(data) {
			list = append(list, Decode(element))
		}
		return list
	}
	object := make(map[string]any)
	for name, value := range Members(data) {
		object[name] = Decode(value)
	}
	return object
}
