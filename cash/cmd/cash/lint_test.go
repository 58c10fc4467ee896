package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLint(t *testing.T) {
	clean, vague := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{
		clean: "---\nname: refund\ndescription: Refund an order.\n---\nCall `orders.cancel` and tell the customer.\n",
		vague: "---\nname: refund\ndescription: Refund an order.\n---\nRun scripts/refund.sh first.\n",
	} {
		folder := filepath.Join(dir, "orders", "refund")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "SKILL.md"), text)
	}
	for name, test := range map[string]struct {
		args []string
		code int
		out  string
	}{
		"skills":  {[]string{"lint", "-skills", clean}, 0, "nothing to report\n"},
		"script":  {[]string{"lint", "-skills", vague}, 1, "unserved-script skill orders.refund: mentions scripts/refund.sh"},
		"JSON":    {[]string{"lint", "-json", "-skills", vague}, 1, `"rule": "unserved-script"`},
		"no file": {[]string{"lint", "-skills", filepath.Join(clean, "none")}, 1, ""},
		"both":    {[]string{"lint", "-skills", clean, "program"}, 2, ""},
		"server":  {slices.Concat([]string{"lint"}, self(t, "plain")), 1, "phantom-namespace namespace server.orders: "},
		"names":   {[]string{"lint", web(t, wrongKind())}, 1, "ping"},
	} {
		if got := printed(t, false, "", nil, test.args...); got.code != test.code || !strings.Contains(got.out, test.out) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
