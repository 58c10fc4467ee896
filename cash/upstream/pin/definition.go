package pin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// A Definition is all that a server says about a tool, a function or a skill, and that a model or an approval rule
// reads. It must not be changed once it is shared.
type Definition struct {
	Name, Title, Description string
	// InputSchema, OutputSchema and Annotations are JSON objects as the server sent them. Empty and null both mean
	// none.
	InputSchema, OutputSchema, Annotations json.RawMessage
	// Icons is a JSON array as the server sent it. Empty and null both mean none.
	Icons json.RawMessage
	// Meta is the object _meta as the server sent it. If the server has a version, tags or a costHint beside the name,
	// Meta has them too. Empty means none.
	Meta json.RawMessage

	// Function marks a function of a CaSH server:
	//   - Name is its path there, such as orders.retail.create.
	//   - Description is its line in help.
	//   - InputSchema has the parameters of its JSON page as properties, and the page's schema, if any, as schema.
	//   - OutputSchema has the page's description of the result.
	//   - Annotations has the page's annotations and safety, and the id of the function on that server.
	// The last three are empty if the page could not be read. There is no Meta.
	Function bool

	// Skill marks a skill, and is what its server lists of it (SEP-2640):
	//
	//	{"files": {"SKILL.md": "sha256:...", ...}, "frontmatter": {...}}
	//
	// So a change of any byte of any file changes the definition, of scripts too, which are never served. The order of
	// the files makes no difference. The files are "dynamic" if the server makes the text on demand, or does not speak
	// the extension; then the text may change without notice.
	//   - Name is the URI of its SKILL.md on that server. For a CaSH server without the extension it is
	//     skill://<namespace>/<name>/SKILL.md.
	//   - Description is its line in the tool skill of a CaSH server, else empty.
	// All else is empty.
	Skill json.RawMessage
}

// A kind is what a definition is of. A name belongs to the first kind that has it.
type kind int

const (
	tool kind = iota
	function
	skill
	kinds
)

func (d *Definition) kind() kind {
	switch {
	case len(d.Skill) > 0:
		return skill
	case d.Function:
		return function
	}
	return tool
}

func (k kind) String() string {
	return [kinds]string{"a tool", "a function behind the tool call", "a skill"}[k]
}

// Hash returns the SHA-256, in hexadecimal digits, of the definition as one canonical JSON object:
//   - The members are _meta, annotations, description, function, icons, inputSchema, name, outputSchema, skill and
//     title, in this order.
//   - Members with JSON are left out if there is none; function is true, and left out for a tool.
//   - There is no white space, keys are sorted, and strings and numbers have one spelling.
//
// So the order of keys, white space, escapes and 1.0 for 1 make no difference. Any other change does.
func (d *Definition) Hash() string {
	b := appendJSONField([]byte{'{'}, "_meta", d.Meta)
	b = appendJSONField(b, "annotations", d.Annotations)
	b = appendTextField(b, "description", d.Description)
	if d.Function {
		b = append(appendFieldName(b, "function"), "true"...)
	}
	b = appendJSONField(b, "icons", d.Icons)
	b = appendJSONField(b, "inputSchema", d.InputSchema)
	b = appendTextField(b, "name", d.Name)
	b = appendJSONField(b, "outputSchema", d.OutputSchema)
	b = appendJSONField(b, "skill", d.Skill)
	b = appendTextField(b, "title", d.Title)
	sum := sha256.Sum256(append(b, '}'))
	return hex.EncodeToString(sum[:])
}

func appendTextField(b []byte, name, text string) []byte {
	if !utf8.ValidString(text) {
		return appendHexField(b, name, []byte(text))
	}
	return strictjson.AppendText(appendFieldName(b, name), text)
}

func appendJSONField(b []byte, name string, raw json.RawMessage) []byte {
	value, ok := comparableJSON(raw)
	switch {
	case !ok:
		return appendHexField(b, name, raw)
	case value == nil:
		return b
	}
	return append(appendFieldName(b, name), value...)
}

// appendHexField adds data that is not JSON. No server can send it, but two such definitions must still differ.
func appendHexField(b []byte, name string, data []byte) []byte {
	return fmt.Appendf(appendFieldName(b, "!"+name), `"%x"`, data)
}

func appendFieldName(b []byte, name string) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return fmt.Appendf(b, `"%s":`, name)
}

// comparableJSON returns raw in canonical form with canonical numbers; nil for none. It reports false if raw is not
// JSON within the limits of strictjson.
func comparableJSON(raw json.RawMessage) ([]byte, bool) {
	if len(raw) == 0 {
		return nil, true
	}
	if strictjson.Check(raw) != nil {
		return nil, false
	}
	if strictjson.KindOf(raw) == strictjson.Null {
		return nil, true
	}
	return strictjson.CanonicalNumbers(raw, appendNumber), true
}

// maxExponent is far beyond any useful number, and sums of exponents up to it do not overflow. A number with a
// larger exponent keeps its spelling.
const maxExponent = 1e18

// appendNumber takes a number apart into its significant digits and a power of
// ten. No digit is lost, as it would be in a float64.
func appendNumber(dst, raw []byte) []byte {
	spelled := string(raw)
	number, negative := strings.CutPrefix(spelled, "-")
	mantissa, exponent := number, "0"
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return append(dst, '0')
	}
	power, err := strconv.ParseInt(exponent, 10, 64)
	if err != nil || power > maxExponent || power < -maxExponent {
		return append(dst, spelled...)
	}
	if negative {
		dst = append(dst, '-')
	}
	significant := strings.TrimRight(digits, "0")
	return appendDecimal(dst, significant, power+int64(len(digits)-len(significant)-len(fraction)))
}

// appendDecimal writes digits times a power of ten in the usual form: with an exponent only to avoid many zeros.
func appendDecimal(dst []byte, digits string, power int64) []byte {
	point := int64(len(digits)) + power
	switch {
	case 0 <= power && power <= 20:
		return append(append(dst, digits...), strings.Repeat("0", int(power))...)
	case power < 0 && point > 0:
		return fmt.Appendf(dst, "%s.%s", digits[:point], digits[point:])
	case power < 0 && point > -6:
		return fmt.Appendf(dst, "0.%s%s", strings.Repeat("0", int(-point)), digits)
	}
	return fmt.Appendf(dst, "%se%d", digits, power)
}

// ParseDefinitions reads the array of tools in a result of tools/list; see [wire.List].
func ParseDefinitions(tools json.RawMessage) (list []*Definition, dropped []string, err error) {
	return wire.List("tool", tools, parseDefinition)
}

// ListedName implements [wire.Named].
func (d *Definition) ListedName() string { return d.Name }

// parseDefinition reads one tool of tools/list. With an error, the definition holds the parts that could be read.
func parseDefinition(raw []byte) (*Definition, error) {
	d := new(Definition)
	var beside wire.Facts
	err := wire.Entry(raw, func(key string, value []byte) error {
		known, err := d.set(key, value)
		if !known {
			beside.Set(key, value) // values of no use are ignored
		}
		return err
	})
	if err == nil && d.Name == "" {
		err = errors.New("no name")
	}
	d.Meta = beside.AddTo(d.Meta)
	return d, err
}

// set reads one member of a tool, spelled as in tools/list. It reports whether definitions have that member.
func (d *Definition) set(key string, value []byte) (known bool, err error) {
	switch key {
	case "name":
		return true, strictjson.Set(&d.Name, key, value)
	case "title":
		return true, strictjson.Set(&d.Title, key, value)
	case "description":
		return true, strictjson.Set(&d.Description, key, value)
	case "inputSchema":
		return true, strictjson.Set(&d.InputSchema, key, value)
	case "outputSchema":
		return true, strictjson.Set(&d.OutputSchema, key, value)
	case "annotations":
		return true, strictjson.Set(&d.Annotations, key, value)
	case "icons":
		if strictjson.KindOf(value) == strictjson.Array {
			d.Icons = bytes.Clone(value)
		}
		return true, nil
	case "_meta":
		if strictjson.KindOf(value) == strictjson.Object {
			d.Meta = bytes.Clone(value)
		}
		return true, nil
	}
	return false, nil
}
