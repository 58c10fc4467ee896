package card_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCashLinksNoVocabulary keeps 7 MB of vocabularies out of programs that
// import package cash alone.
func TestCashLinksNoVocabulary(t *testing.T) {
	deps := func(pkg string) string {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if list := deps("github.com/cash-mcp/go-sdk/cash"); strings.Contains(list, "tiktoken") || strings.Contains(list, "toolid/card") {
		t.Error("package cash imports package card or a tokenizer")
	}
	if list := deps("github.com/cash-mcp/go-sdk/toolid/card"); !strings.Contains(list, "tiktoken-go-loader") {
		t.Error("the list of dependencies does not show the vocabularies")
	}
}
