package cash

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTableOfState holds that package serve has the table of state as it is here.
func TestTableOfState(t *testing.T) {
	var doc strings.Builder
	fmt.Fprintf(&doc, "//\t%-10s %-58s %s\n", "state", "several processes, without more", "for several to be as one")
	for _, s := range states {
		fmt.Fprintf(&doc, "//\t%-10s %-58s %s\n", s.name, s.replicas, strings.ReplaceAll(s.needed, "`", ""))
	}
	text, err := os.ReadFile("serve/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), doc.String()) {
		t.Errorf("serve/doc.go does not have this table:\n%s", doc.String())
	}
}
