package toolid_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// vectors reads testdata/name.jsonl, one value a line.
func vectors[T any](tb testing.TB, name string) []T {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var list []T
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			tb.Fatalf("%s: line %d: %v", name, len(list)+1, err)
		}
		list = append(list, v)
	}
	if len(list) == 0 {
		tb.Fatalf("%s has no vectors", name)
	}
	return list
}

// parts are an id as the vectors write it; null is no part.
type parts struct {
	Kind      string
	Namespace string
	Name      string
	Version   *string
	Hash8     *string
	Error     bool
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
