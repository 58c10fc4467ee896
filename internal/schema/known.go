package schema

import (
	"encoding/json"
	"log/slog"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// knownShape covers types of the standard library that decode differently from their kind, and types with methods that
// decode them. It is nil for others.
func knownShape(t reflect.Type) *shape {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return &shape{}
	case reflect.TypeFor[json.Number]():
		return &shape{types: []string{"number"}}
	case reflect.TypeFor[time.Time]():
		return &shape{types: []string{"string"}, format: "date-time", facts: &facts{text: formats["date-time"]}}
	case reflect.TypeFor[time.Duration]():
		return durationShape()
	case reflect.TypeFor[url.URL]():
		return &shape{types: []string{"string"}, format: "uri", facts: &facts{text: urlText, convert: urlValue}}
	case reflect.TypeFor[slog.Level](): // its UnmarshalJSON takes texts
		return &shape{types: []string{"string"}, hint: textHints[t], facts: &facts{decode: t}}
	case reflect.TypeFor[big.Int]():
		return &shape{types: []string{"integer"}, facts: &facts{number: &goNumber{kind: wholeNumber}}}
	case reflect.TypeFor[big.Rat]():
		return longNumber(`^-?[0-9]+(\.[0-9]+|/[0-9]*[1-9][0-9]*)?$`)
	case reflect.TypeFor[big.Float]():
		return longNumber(`^-?[0-9]+(\.[0-9]+)?$`)
	}
	return selfDecoding(t)
}

// longNumber returns the shape of a number as text. It has no exponents, because 1e999999999 takes very long to expand.
func longNumber(pattern string) *shape {
	s := &shape{types: []string{"string"}, pattern: pattern}
	s.bound("maxLength", intText(maxBound))
	return s
}

// selfDecoding covers types with decoding methods. Each value is decoded as a check.
func selfDecoding(t reflect.Type) *shape {
	if t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		return nil
	}
	p := reflect.PointerTo(t)
	if p.Implements(unmarshaler) {
		return &shape{facts: &facts{decode: t}}
	}
	if !p.Implements(textUnmarshaler) {
		return nil
	}
	s := &shape{types: []string{"string"}, hint: textHints[t], facts: &facts{decode: t}}
	switch {
	case isInteger(t.Kind()) && s.hint == "":
		if values := namesOf(t, textOf); values != nil {
			s.hint = "Such as " + listed(values) + "."
			s.facts.names = listed(values)
		}
	case t.Kind() == reflect.Array && t.Len() == 16 && strings.EqualFold(t.Name(), "UUID"):
		s.format = "uuid"
	}
	return s
}

// promotedFrom returns the embedded type whose UnmarshalJSON a struct has, if that refuses objects, such as time.Time;
// else nil. That a method is promoted shows in its error.
func promotedFrom(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	refused := decodeError(t, []byte("{}"))
	for i := range t.NumField() {
		sf := t.Field(i)
		inner := sf.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if !sf.Anonymous || refused == nil || !reflect.PointerTo(inner).Implements(unmarshaler) {
			continue
		}
		if err := decodeError(inner, []byte("{}")); err != nil && (err.Error() == refused.Error() || sf.Type != inner) {
			return sf.Type
		}
	}
	return nil
}

// textHints describe types that decode from a text.
var textHints = map[reflect.Type]string{
	reflect.TypeFor[netip.Addr]():     "An IP address such as 192.0.2.1 or 2001:db8::1.",
	reflect.TypeFor[netip.AddrPort](): "An IP address and port such as 192.0.2.1:80 or [2001:db8::1]:80.",
	reflect.TypeFor[slog.Level]():     "DEBUG, INFO, WARN or ERROR, with an offset if needed, such as INFO+2.",
	reflect.TypeFor[netip.Prefix]():   "A network such as 192.0.2.0/24 or 2001:db8::/32.",
}

// nullable returns the name of the member with the value if t is one of database/sql's Null types: a value with a flag.
// As an argument it is the value, or null.
func nullable(t reflect.Type) string {
	if t.PkgPath() != "database/sql" || !strings.HasPrefix(t.Name(), "Null") || t.NumField() != 2 || t.Field(1).Name != "Valid" {
		return ""
	}
	return t.Field(0).Name
}

// integerKey returns the shape of the keys of a map with integers: a canonical spelling, so that two keys are two
// entries.
func integerKey(t reflect.Type) *shape {
	g, pattern := &goNumber{signed, t.Bits()}, `^(0|-?[1-9][0-9]*)$`
	if t.Kind() >= reflect.Uint {
		g, pattern = &goNumber{unsigned, t.Bits()}, `^(0|[1-9][0-9]*)$`
	}
	check := &textCheck{"propertyNames", "the key " + g.message(nil), func(text string) bool { return g.holds([]byte(text)) }}
	return &shape{pattern: pattern, facts: &facts{text: check, key: true}}
}

// durationText checks the text of a time.Duration.
var durationText = &textCheck{"format", "must be a duration such as 90s, 5m or 1h30m", func(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}}

// durationShape accepts a text, and the number that encoding/json decodes.
func durationShape() *shape {
	return &shape{
		types: []string{"string", "integer"},
		hint:  "A duration such as 90s, 5m or 1h30m; a number is in nanoseconds.",
		facts: &facts{number: &goNumber{signed, 64}, text: durationText, convert: durationValue, spell: spellDuration},
	}
}

// durationValue returns the nanoseconds of a duration as JSON text.
func durationValue(raw []byte) []byte {
	if strictjson.KindOf(raw) != strictjson.String {
		return raw
	}
	d, _ := time.ParseDuration(strictjson.Text(raw))
	return strconv.AppendInt(nil, int64(d), 10)
}

// spellDuration spells a bound in nanoseconds.
func spellDuration(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return text
	}
	return time.Duration(n).String()
}

// dateValue returns the time at the beginning of a day in UTC.
func dateValue(raw []byte) []byte {
	if strictjson.KindOf(raw) != strictjson.String {
		return raw
	}
	return quoteJSON(strictjson.Text(raw) + "T00:00:00Z")
}

// urlText checks the text of a url.URL. Its struct has no JSON form for a user, nor for bytes that are not UTF-8 (%FF).
var urlText = &textCheck{"format", "must be an absolute URI such as https://example.com/a, without a user", func(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.User == nil && utf8.ValidString(u.Host+u.Path+u.Fragment) && isURI(text)
}}

// urlValue returns the struct that encoding/json decodes.
func urlValue(raw []byte) []byte {
	if strictjson.KindOf(raw) != strictjson.String {
		return raw
	}
	u, err := url.Parse(strictjson.Text(raw))
	if err != nil {
		return raw
	}
	return strictjson.MustMarshal(u)
}
