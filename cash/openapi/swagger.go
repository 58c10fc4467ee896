package openapi

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// collection is the extension in which a converted document keeps the collectionFormat of Swagger 2, where the library
// leaves it out.
const collection = "x-cash-collectionFormat"

// convert returns a Swagger 2 document as one of OpenAPI 3.
func convert(raw []byte, version string) (_ []byte, err error) {
	if version != "2.0" {
		return nil, fmt.Errorf("version %q of Swagger is not supported: want 2.0", version)
	}
	defer func() { // the library was not made for hostile documents
		if p := recover(); p != nil {
			err = errors.New("converting the Swagger 2 document fails on its content")
		}
	}()
	raw = versioned(raw, version)
	mark := fmt.Sprintf("%x ", sha256.Sum256(raw)) // which no document has
	raw = valued.ReplaceAllFunc(raw, func(values []byte) []byte {
		return long.ReplaceAll(values, []byte(`"`+mark+`$0"`))
	})
	var two openapi2.T
	if err := json.Unmarshal(raw, &two); err != nil {
		return nil, fmt.Errorf("reading Swagger 2: %w", err)
	}
	for _, p := range two.Parameters {
		collected(p)
	}
	forms := make(map[string]bool) // by path and method
	for path, item := range two.Paths {
		if item.Ref != "" && !strings.HasPrefix(item.Ref, "#/paths/") {
			return nil, fmt.Errorf("the $ref %.200q of the path %.200q does not name another path", item.Ref, path)
		}
		for _, method := range prepare(&two, item) {
			forms[path+" "+method] = true
		}
	}
	three, err := openapi2conv.ToV3(&two)
	if err != nil {
		return nil, fmt.Errorf("converting Swagger 2, whose references must be within the document: %w", err)
	}
	for path, item := range three.Paths.Map() {
		item.Ref = two.Paths[path].Ref // which the library leaves out
		for method, op := range item.Operations() {
			if forms[path+" "+method] {
				needed(op.RequestBody)
			}
		}
	}
	made, err := json.Marshal(three)
	if err != nil {
		return nil, err
	}
	return regexp.MustCompile(`"`+mark+`([^"]+)"`).ReplaceAll(made, []byte("$1")), nil
}

// versioned returns a document whose version is a text.
func versioned(raw []byte, version string) []byte {
	if strictjson.KindOf(strictjson.Member(raw, "swagger")) == strictjson.String {
		return raw
	}
	var b strictjson.Builder
	for key, value := range strictjson.Members(raw) {
		if key == "swagger" {
			value = strictjson.MustMarshal(version)
		}
		b.Add(key, value)
	}
	return b.Object()
}

// The library takes numbers for floats. Long ones among values are texts meanwhile.
var (
	valued = regexp.MustCompile(`"(default|example|enum)"\s*:\s*(\[[-+.0-9eE,\s]*\]|-?[0-9][-+.0-9eE]*)`)
	long   = regexp.MustCompile(`-?[0-9][-+.0-9eE]{15,}`)
)

// needed marks the body of a form with parameters that must be there.
func needed(body *openapi3.RequestBodyRef) {
	if body == nil || body.Ref != "" || body.Value == nil {
		return
	}
	for _, media := range []string{mediaForm, mediaMultipart} {
		if form := body.Value.Content[media]; form != nil && form.Schema != nil && form.Schema.Value != nil {
			body.Value.Required = body.Value.Required || len(form.Schema.Value.Required) > 0
		}
	}
}

// prepare writes down what the operations of a path leave to the defaults of Swagger 2, and the library does not know: csv
// for arrays, and a form for parameters in formData. It returns the methods that have such a form.
func prepare(two *openapi2.T, item *openapi2.PathItem) (forms []string) {
	item.Parameters = inlined(two, item.Parameters)
	for method, op := range item.Operations() {
		op.Parameters = inlined(two, op.Parameters)
		seen, file := make(map[string]bool), false
		for _, p := range slices.Concat(op.Parameters, item.Parameters) { // an operation replaces those of its path
			if p.In == "formData" && !seen[p.Name] {
				seen[p.Name], file = true, file || p.Type.Is("file")
			}
		}
		if len(seen) == 0 {
			continue
		}
		forms = append(forms, method)
		consumes := op.Consumes
		if len(consumes) == 0 {
			consumes = two.Consumes
		}
		op.Consumes = nil
		for _, media := range consumes {
			if kind, _, _ := mime.ParseMediaType(media); kind == mediaMultipart || kind == mediaForm && !file {
				op.Consumes = append(op.Consumes, kind)
			}
		}
		switch {
		case len(op.Consumes) > 0:
		case file:
			op.Consumes = []string{mediaMultipart}
		default:
			op.Consumes = []string{mediaForm}
		}
	}
	return forms
}

// inlined returns parameters with those of forms that they refer to, which the library takes for definitions of the same
// name.
func inlined(two *openapi2.T, list openapi2.Parameters) openapi2.Parameters {
	list = slices.Clone(list)
	for i, p := range list {
		collected(p)
		if name, ok := strings.CutPrefix(p.Ref, "#/parameters/"); ok {
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
			if shared := two.Parameters[name]; shared != nil && shared.In == "formData" {
				list[i] = shared
			}
		}
	}
	return list
}

// collected says how an array is written. Of queries the library knows all but tsv; paths and headers are csv.
func collected(p *openapi2.Parameter) {
	if !p.Type.Is("array") || p.Ref != "" {
		return
	}
	if p.CollectionFormat == "" {
		p.CollectionFormat = "csv"
	}
	if p.In == "formData" || p.In == inQuery && p.CollectionFormat == "tsv" || p.In != inQuery && p.CollectionFormat != "csv" {
		if p.Extensions == nil {
			p.Extensions = make(map[string]any, 1)
		}
		p.Extensions[collection] = p.CollectionFormat
	}
}
