package schema

import (
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A draft holds the differences of one version of JSON Schema.
type draft struct {
	id       string // the keyword that means $id
	refAlone bool   // a $ref hides its siblings
}

// latest is 2019-09 and 2020-12. It is also used without a $schema, and for unknown ones.
var latest = draft{id: "$id"}

var oldDraft = regexp.MustCompile(`^https?://json-schema\.org/draft-0([3-7])/(?:hyper-)?schema#?$`)

// draftOf returns the draft that t declares, or outer, the surrounding one.
func draftOf(t *tree, outer draft) draft {
	s := t.get("$schema")
	if s == nil || s.kind != strictjson.String {
		return outer
	}
	if old := oldDraft.FindStringSubmatch(s.text); old != nil {
		if old[1] < "6" {
			return draft{id: "id", refAlone: true}
		}
		return draft{id: "$id", refAlone: true}
	}
	if _, path, ok := strings.Cut(s.text, "://json-schema.org/"); ok && strings.HasPrefix(path, "draft/") {
		return latest
	}
	return outer
}

// hides reports whether a $ref in t disables its siblings.
func (d draft) hides(t *tree) bool {
	return d.refAlone && t.get("$ref") != nil
}

// identifier returns the $id of t, or nil. The draft that t declares may spell it differently than d, the surrounding
// draft.
func (d draft) identifier(t *tree) *tree {
	for _, keyword := range []string{draftOf(t, d).id, d.id} {
		if id := t.get(keyword); id != nil && id.kind == strictjson.String {
			return id
		}
	}
	return nil
}
