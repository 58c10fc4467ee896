package registry

import (
	"context"
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// RecordKey is the key in the metadata of a skill's front matter under which its author records the
// definitions of the functions that it names:
//
//	metadata:
//	  cash-definitions: orders.create=3f2a90c1d4e5b677 orders.get=90aa4c51b2e0f3d8
//
// Each is the function's path and the beginning of its [Function.Definition], 12 to 64 digits. [Lint]
// and the tool skill report functions that have changed since. At most 100 are read.
const RecordKey = "cash-definitions"

const maxRecords = 100

var recordRule = regexp.MustCompile(`^([A-Za-z0-9_.]+)=([0-9a-f]{12,64})$`)

// A record is the definition of a function when a skill was written.
type record struct{ path, definition string }

// records returns what a skill records, and the entries that cannot be read.
func (s *Skill) records() (list []record, wrong []string) {
	if s.foreign || s.remote != nil { // its paths and definitions are those of its own server: see Reporting
		return nil, nil
	}
	entries := strings.FieldsFunc(isText(strictjson.Member(s.fields, "metadata"), RecordKey), func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t' || r == ','
	})
	for _, e := range entries[:min(len(entries), maxRecords)] {
		if m := recordRule.FindStringSubmatch(e); m != nil {
			list = append(list, record{m[1], m[2]})
		} else {
			wrong = append(wrong, e)
		}
	}
	return list, wrong
}

// find returns the function of a record, for the caller in ctx.
func (r record) find(ctx context.Context, src Source) (*Function, error) {
	namespace, name := "", r.path
	if i := strings.LastIndexByte(r.path, '.'); i >= 0 {
		namespace, name = r.path[:i], r.path[i+1:]
	}
	return src.Function(ctx, namespace, name)
}

// Changed returns the functions that the skill records ([RecordKey]) and that are no longer what they
// were, for the caller in ctx. Those that the caller does not see are left out.
func (s *Skill) Changed(ctx context.Context, src Source) (list []*Function) {
	records, _ := s.records()
	for _, r := range records {
		if f, err := r.find(ctx, src); err == nil && !strings.HasPrefix(f.Definition(), r.definition) {
			list = append(list, f)
		}
	}
	for _, path := range s.changed {
		if f, err := (record{path: path}).find(ctx, src); err == nil {
			list = append(list, f)
		}
	}
	return list
}

// Reporting returns a copy of a skill of another server, before it is added anywhere. Its changed
// functions are those at paths, as that server reports them: only that server can compare its
// definitions with what the skill records.
func (s *Skill) Reporting(paths []string) *Skill {
	kept := *s
	kept.changed = paths[:min(len(paths), maxRecords)]
	return &kept
}
