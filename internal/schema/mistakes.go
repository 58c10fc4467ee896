package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/spelling"
)

// Mistakes are all faults of Go types, one line each: the type and the field, the reason, and the way out.
type Mistakes []string

func (m Mistakes) Error() string {
	if len(m) == 1 {
		return m[0]
	}
	return fmt.Sprintf("%d mistakes:\n\t%s", len(m), strings.Join(m, "\n\t"))
}

// Err returns m as an error, nil if there are none.
func (m Mistakes) Err() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

// Add adds the mistakes of err, or err as one mistake. It adds each line once.
func (m *Mistakes) Add(err error) {
	var list Mistakes
	if err != nil && !errors.As(err, &list) {
		list = Mistakes{err.Error()}
	}
	for _, line := range list {
		if !slices.Contains(*m, line) {
			*m = append(*m, line)
		}
	}
}

// typeName returns the name of a type for a mistake. An anonymous struct is not spelled out.
func typeName(t reflect.Type) string {
	if t.Name() == "" && t.Kind() == reflect.Struct {
		return "struct{...}"
	}
	return t.String()
}

// tagKeys are the keys of the tags that are read.
var tagKeys = []string{"json", "jsonschema", "cash"}

// checkTags returns the faults of a field's tags as a whole. Whether it is for input decides which keys matter on an
// unexported field: other packages use the others there.
func checkTags(sf reflect.StructField, input bool) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	keys, rest := scanTag(string(sf.Tag))
	for i, key := range keys {
		word := strings.ToLower(key)
		switch {
		case !slices.Contains(tagKeys, word):
		case key != word:
			fault("the tag key %q is not read: keys are lower case; write %s", key, word)
		case slices.Contains(keys[:i], key):
			fault("the tag key %q stands twice, and only the first is read; join them", key)
		case !sf.IsExported() && !sf.Anonymous && sf.Tag.Get(key) != "-" && (input || key == "cash"):
			fault("the %s tag has no effect: encoding/json ignores unexported fields; export the field, or remove the tag", key)
		case key == "cash" && sf.Tag.Get("json") == "-":
			fault(`the cash tag has no effect: json:"-" leaves the field out; remove the cash tag or json:"-"`)
		}
	}
	for _, key := range tagKeys {
		if strings.HasPrefix(strings.TrimSpace(rest), key) {
			fault(`the tag is malformed from %q on, and Go ignores it; write %s:"..." with double quotes, without a space after the colon`, rest, key)
		}
	}
	if sf.IsExported() {
		faults = append(faults, checkJSONOptions(sf.Tag.Get("json"), input)...)
		if err := checkDescription(sf); err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// scanTag returns the keys of a tag, and what follows the last pair that reflect understands.
func scanTag(tag string) (keys []string, rest string) {
	for {
		tag = strings.TrimLeft(tag, " ")
		key, value, ok := strings.Cut(tag, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \"") || !strings.HasPrefix(value, `"`) {
			return keys, tag
		}
		end := 1
		for end < len(value) && value[end] != '"' {
			if value[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(value) {
			return keys, tag
		}
		keys, tag = append(keys, key), value[end+1:]
	}
}

// checkJSONOptions finds options of a json tag that encoding/json ignores, and that look like others.
func checkJSONOptions(tag string, input bool) (faults []error) {
	_, options, _ := strings.Cut(tag, ",")
	for option := range strings.SplitSeq(options, ",") {
		known := []string{"omitempty", "omitzero", "string", ""}
		if slices.Contains(known, option) {
			continue
		}
		switch word := strings.ToLower(strings.TrimSpace(option)); {
		case word == "required" && !input: // some packages mark all fields of their results with it
		case word == "required":
			faults = append(faults, fmt.Errorf("json tag %q: encoding/json has no option %q; a field without omitempty is required", tag, option))
		case word == "optional":
			faults = append(faults, fmt.Errorf("json tag %q: encoding/json has no option %q; write omitempty or omitzero", tag, option))
		default:
			for _, k := range known[:3] {
				if spelling.Distance(word, k, 2) <= 2 {
					faults = append(faults, fmt.Errorf("json tag %q: encoding/json has no option %q; write %s", tag, option, k))
					break
				}
			}
		}
	}
	return faults
}

// foreignWords are words of JSON Schema, and of tags of other packages, with what to write instead.
var foreignWords = map[string]string{
	"minimum":          `cash:"min=..."`,
	"maximum":          `cash:"max=..."`,
	"exclusiveMinimum": `cash:"min=..." or a type with a schema of its own`,
	"exclusiveMaximum": `cash:"max=..." or a type with a schema of its own`,
	"minlength":        `cash:"minLength=..."`,
	"maxlength":        `cash:"maxLength=..."`,
	"minitems":         `cash:"minItems=..."`,
	"maxitems":         "remove it: check it in the function, or take a type with a schema of its own",
	"maxItems":         "remove it: check it in the function, or take a type with a schema of its own",
	"uniqueItems":      "a type with a schema of its own",
	"examples":         `cash:"example=..."`,
	"required":         required,
	"optional":         "omitempty in the json tag",
	"omitempty":        "omitempty in the json tag",
	"nullable":         "a pointer, which accepts null",
	"title":            `jsonschema:"...", the description`,
	"description":      `jsonschema:"..." with the text alone`,
	"desc":             `jsonschema:"..." with the text alone`,
	"oneof":            `cash:"enum=a|b"`,
	"values":           `cash:"enum=a|b"`,
	"regex":            `cash:"pattern=..."`,
	"regexp":           `cash:"pattern=..."`,
	"type":             "remove it: the Go type says it",
}

// required is what to do instead of the word.
const required = "remove it: a field without omitempty in its json tag is required"

// checkDescription rejects a jsonschema tag with words of other packages: the whole tag is the description.
func checkDescription(sf reflect.StructField) error {
	tag := sf.Tag.Get("jsonschema")
	f, _ := readField(sf)
	parts := strings.Split(tag, ",")
	foreign := func(part string) bool {
		word, _, _ := strings.Cut(part, "=")
		return tagWords[word].apply != nil || foreignWords[word] != ""
	}
	var better []string
	words := !slices.ContainsFunc(parts, func(part string) bool { return !foreign(part) })
	for i, part := range parts {
		word, _, assigns := strings.Cut(part, "=")
		first := i == 0 && assigns && isWord(word) // jsonschema-go refuses these
		if !first && !words && !(assigns && foreign(part)) || words && !assigns && !slices.Contains(bareWords, word) {
			continue
		}
		instead := foreignWords[word]
		if tagWords[word].apply != nil {
			instead = fmt.Sprintf("cash:%q", part)
		}
		if instead == "" {
			instead = "the text alone"
		}
		if why, ok := strings.CutPrefix(advise(instead, f.optional), "remove it"); ok {
			better = append(better, fmt.Sprintf("remove %q%s", part, why))
		} else {
			better = append(better, fmt.Sprintf("instead of %q write %s", part, instead))
		}
	}
	if better == nil {
		return nil
	}
	return fmt.Errorf("jsonschema tag %q: this tag holds the description and nothing else; %s", tag, strings.Join(better, "; "))
}

// bareWords are words without a value.
var bareWords = []string{"required", "optional", "omitempty", "nullable"}

// advise returns what to do instead of a word, for a field that may be optional.
func advise(instead string, optional bool) string {
	if instead == required && optional {
		return "remove it, and omitempty or omitzero from the json tag: a field without them is required"
	}
	if strings.HasPrefix(instead, "remove it") {
		return instead
	}
	return "write " + instead
}

func isWord(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// checkTwins finds fields of one struct with the same name, which encoding/json leaves out.
func checkTwins(t reflect.Type) (faults []error) {
	first := map[string]string{}
	for i := range t.NumField() {
		sf := t.Field(i)
		f, ok := readField(sf)
		if !ok || !sf.IsExported() || embedded(sf, f.tagged) != nil {
			continue
		}
		key := fmt.Sprint(f.tagged, f.name)
		if other, twice := first[key]; twice {
			faults = append(faults, fmt.Errorf("fields %s and %s are both named %q in JSON, so encoding/json leaves both out; rename one", other, sf.Name, f.name))
		}
		first[key] = sf.Name
	}
	return faults
}
