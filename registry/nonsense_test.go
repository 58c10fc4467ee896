package registry_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// company is a realistic catalog of more than a hundred tools.
func company(t *testing.T) *registry.Registry {
	t.Helper()
	data, err := os.ReadFile("testdata/catalog.txt")
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	n := 0
	for line := range strings.Lines(string(data)) {
		path, description, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		namespace, name, _ := strings.Cut(path, ".")
		reg.Namespace(namespace, "").Add(tool(name, description))
		n++
	}
	if n < 100 {
		t.Fatalf("the catalog has %d tools", n)
	}
	return reg
}

// TestW21Nonsense holds that what means nothing finds nothing.
func TestW21Nonsense(t *testing.T) {
	reg := company(t)
	for _, query := range []string{
		"asdf", "qwertz uiop", "zxcvbnm", "lkjhgf fdsa", "sdfsdf asdasd", "hjkl;", "ghjghj!!!",
		"flibbertigibbet", "snorkwizzle", "grumblefex zantoodle", "frobnicate the zorkmid", "please xyzzy the plugh",
		"brillig slithy toves", "mimsy borogoves outgrabe", "supercalifragilistic", "covfefe", "kwyjibo bazinga",
		"aaaaaaaaaaaa", "98765 43210", "xqzt vwkp kjhsdf", "ыфвапр йцукен", "あいうえお", "ㅁㄴㅇㄹ", "阿斯顿发", "🦄🦄🦄", "ᚠᚢᚦ",
		"!!! ??? ...", "\x00\xff", "",
	} {
		if got := found(context.Background(), reg, query, 3); got != nil {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

// TestW21Sense holds the same catalog to finding what is meant, misspelt or not:
// nothing is easily found where nothing is found.
func TestW21Sense(t *testing.T) {
	reg := company(t)
	for query, want := range map[string]string{
		"report a bug in the project":               "jira.create_ticket",
		"refund what a customer paid":               "stripe.refund_payment",
		"is it going to rain":                       "weather.forecast",
		"who is on call tonight":                    "pagerduty.who_is_on_call",
		"approve the pull request":                  "github.review_pull_request",
		"restart teh pods":                          "kubernetes.rollout_restart",
		"shcedule a mesage for tomorrow":            "slack.schedule_message",
		"take a screenshoot":                        "browser.screenshot",
		"transribe this recording":                  "audio.transcribe",
		"listIssues":                                "github.list_issues",
		"search code":                               "github.search_code",
		"github/create_release":                     "github.create_release",
		"turn coordinates to an address or back":    "maps.geocode",
		"how many hours did I spend on this ticket": "jira.log_work",
		"delete every key of the cache":             "redis.flush",
		"sick leave":                                "hr.request_leave",
	} {
		if got := found(context.Background(), reg, query, 3); !slices.Contains(got, want) {
			t.Errorf("%q finds %v, want %s", query, got, want)
		}
	}
}
