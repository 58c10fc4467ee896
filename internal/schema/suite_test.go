package schema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// suiteExceptions are the cases of the official suite that this package does
// not pass by design, with the reason. A group covers its cases. Each must fail:
// one that passes is a mistake in this list.
var suiteExceptions = map[string]string{
	"draft2020-12/refRemote/remote HTTP ref with different $id":     "the document names itself otherwise than the URL, and nothing is fetched from URLs",
	"draft2020-12/refRemote/remote HTTP ref with different URN $id": "the document names itself otherwise than the URL, and nothing is fetched from URLs",
}

// TestSuite runs the JSON Schema Test Suite, which comes with jsonschema-go.
func TestSuite(t *testing.T) {
	dir := suiteDir(t)
	remotes := readRemotes(t, dir)
	used := map[string]bool{}
	cases := 0
	for _, draft := range []string{"draft2020-12", "draft7"} {
		files, err := filepath.Glob(filepath.Join(dir, draft, "*.json"))
		if err != nil || len(files) < 30 {
			t.Fatalf("%d files of %s (%v)", len(files), draft, err)
		}
		for _, file := range files {
			cases += runSuiteFile(t, draft, file, remotes, used)
		}
	}
	for name := range suiteExceptions {
		if !used[name] {
			t.Errorf("exception %q did not fail, or does not exist", name)
		}
	}
	if cases < 1500 {
		t.Errorf("only %d cases were run", cases)
	}
	t.Logf("%d cases", cases)
}

// suiteDir is the folder of the suite.
func suiteDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatal("finding jsonschema-go: ", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata")
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// runSuiteFile runs one file and returns the number of its cases.
func runSuiteFile(t *testing.T, draft, file string, remotes remoteDocs, used map[string]bool) int {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, g := range groups {
		name := draft + "/" + strings.TrimSuffix(filepath.Base(file), ".json") + "/" + g.Description
		raw := g.Schema
		if draft == "draft7" {
			raw = asDraft7(raw)
		}
		raw = remotes.bundle(draft, raw)
		s, err := schema.Parse(raw)
		for _, c := range g.Tests {
			cases++
			problem := ""
			if err != nil {
				problem = "Parse: " + err.Error()
			} else {
				problem = suiteCase(s, c.Data, c.Valid)
			}
			verdict(t, name, name+"/"+c.Description, problem, used)
		}
	}
	return cases
}

// asDraft7 adds the $schema that the suite leaves out.
func asDraft7(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if raw[0] != '{' || bytes.Contains(raw, []byte(`"$schema"`)) {
		return raw
	}
	head := `{"$schema":"http://json-schema.org/draft-07/schema#"`
	if raw = bytes.TrimSpace(raw[1:]); raw[0] != '}' {
		head += ","
	}
	return append([]byte(head), raw...)
}

// remoteDocs are the documents that the suite expects to be fetched, by URL.
// This package fetches nothing, so they are put into the schemas that refer to
// them, as a server that bundles its schemas does.
type remoteDocs map[string]json.RawMessage

func readRemotes(t *testing.T, dir string) remoteDocs {
	docs := remoteDocs{}
	docs.read(t, filepath.Join(dir, "remotes"), suiteHost, "")
	docs.read(t, filepath.Join(dir, "..", "meta-schemas", "draft2020-12"), metaHost2020, ".json")
	docs.read(t, filepath.Join(dir, "..", "meta-schemas", "draft7"), metaHost7, ".json")
	return docs
}

const (
	suiteHost    = "http://localhost:1234/"
	metaHost2020 = "https://json-schema.org/draft/2020-12/"
	metaHost7    = "http://json-schema.org/draft-07/"
)

// read adds the files below root, as if they stood at url.
func (docs remoteDocs) read(t *testing.T, root, url, cut string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path) // path is below root
		docs[url+strings.TrimSuffix(filepath.ToSlash(rel), cut)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mayMean reports whether a schema of a draft may refer to a URL.
func mayMean(draft string, raw json.RawMessage, url string) bool {
	if rel, ok := strings.CutPrefix(url, suiteHost); ok {
		other := map[string]string{"draft7": "draft2020-12/", "draft2020-12": "draft7/"}[draft]
		return bytes.Contains(raw, []byte(suiteHost)) && !strings.HasPrefix(rel, other)
	}
	host := map[string]string{"draft7": metaHost7, "draft2020-12": metaHost2020}[draft]
	return strings.HasPrefix(url, host) && bytes.Contains(raw, []byte(`"$ref": "`+host+"schema"))
}

// bundle adds the documents that raw may mean to its definitions.
func (docs remoteDocs) bundle(draft string, raw json.RawMessage) json.RawMessage {
	var root map[string]json.RawMessage
	if json.Unmarshal(raw, &root) != nil {
		return raw
	}
	defs := map[string]json.RawMessage{}
	if root["$defs"] != nil && json.Unmarshal(root["$defs"], &defs) != nil {
		return raw
	}
	added := false
	for url, doc := range docs {
		if mayMean(draft, raw, url) {
			defs[url], added = withID(doc, url), true
		}
	}
	if !added {
		return raw
	}
	root["$defs"], _ = json.Marshal(defs)
	out, _ := json.Marshal(root)
	return out
}

// withID gives a document the identifier under which it was asked for.
func withID(doc json.RawMessage, url string) json.RawMessage {
	var root map[string]json.RawMessage
	if json.Unmarshal(doc, &root) != nil || root["$id"] != nil {
		return doc
	}
	root["$id"], _ = json.Marshal(url)
	out, _ := json.Marshal(root)
	return out
}

func suiteCase(s *schema.Schema, data []byte, valid bool) string {
	if err := strictjson.Check(data); err != nil {
		return "strictjson: " + err.Error()
	}
	err := s.Check(context.Background(), data)
	switch {
	case valid && err != nil:
		return "valid, but refused: " + err.Error()
	case !valid && err == nil:
		return "not valid, but accepted"
	}
	return ""
}

// verdict compares an outcome with the exceptions.
func verdict(t *testing.T, group, name, problem string, used map[string]bool) {
	t.Helper()
	exception := ""
	for _, n := range []string{group, name} {
		if suiteExceptions[n] != "" {
			exception = n
		}
	}
	switch {
	case problem != "" && exception == "":
		t.Errorf("%s: %s", name, problem)
	case problem != "":
		used[exception] = true
	case exception == name:
		t.Errorf("%s: passes; remove it from the exceptions", name)
	}
}
