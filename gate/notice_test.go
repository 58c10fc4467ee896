package gate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/gate"
)

func ExampleNotice_Text() {
	fmt.Println(gate.Notice{
		Length:    48_213,
		Limit:     gate.Default,
		Summary:   "4821 orders",
		Suggested: 50_000,
		Filters:   []string{"status", "date_range", "customer_id"},
	}.Text())
	// Output:
	// **Gated:** Response exceeds size limit (4821 orders, ~48,000 characters).
	//
	// To retrieve, either:
	// - Add filters (e.g., status, date_range, customer_id) to narrow results
	// - Pass `sizelimit=50000` to allow the full response through
}

func TestNotice(t *testing.T) {
	tests := []struct {
		name    string
		notice  gate.Notice
		want    []string
		without []string
	}{
		{"R93 without filters", gate.Notice{Length: 48_000},
			[]string{"**Gated:** Response exceeds size limit (~48,000 characters).", "- Narrow the query", "- Pass `sizelimit=50000`"}, []string{"Add filters", "already ran"}},
		{"R93 five filters", gate.Notice{Length: 48_000, Filters: []string{"a", "b", "c", "d", "e", "f"}},
			[]string{"(e.g., a, b, c, d, e) to narrow"}, nil},
		{"R93 unusable filters", gate.Notice{Length: 48_000, Filters: []string{"", "a\nb", "x`y", "f\u3164", "g\U000e0100", strings.Repeat("n", 33), "ok"}},
			[]string{"(e.g., ok) to narrow"}, nil},
		{"R93 only unusable filters", gate.Notice{Length: 48_000, Filters: []string{"a b"}},
			[]string{"- Narrow the query"}, []string{"a b"}},
		{"R93 rounded up", gate.Notice{Length: 47_500}, []string{"~48,000 characters"}, nil},
		{"R93 rounded down", gate.Notice{Length: 48_499}, []string{"~48,000 characters"}, nil},
		{"R93 millions", gate.Notice{Length: 5_000_400}, []string{"~5,000,000 characters", "sizelimit=5210000"}, nil},
		{"R96 a short one in hundreds", gate.Notice{Length: 5049, Limit: 100}, []string{"~5,000 characters"}, nil},
		{"R98 a size probe", gate.Notice{Length: 7}, []string{"~7 characters", "sizelimit=7"}, nil},
		{"R91 one over the limit", gate.Notice{Length: 10_001, Limit: 10_000}, []string{"~10,001 characters"}, nil},
		{"R94 a suggestion that would be gated again", gate.Notice{Length: 48_000, Suggested: 47_999}, []string{"sizelimit=50000"}, nil},
		{"R103 kept", gate.Notice{Length: 48_000, AlreadyRan: true, Filters: []string{"status"}},
			[]string{"already ran", "repeat the same call with `sizelimit=50000`;", "does not run it again"}, []string{"ilter", "status", "arrow", "replay"}},
		{"R103 kept under a handle", gate.Notice{Length: 48_000, AlreadyRan: true, Replay: "k7-Q_2.x"},
			[]string{"already ran", "`sizelimit=50000`", "`replay=\"k7-Q_2.x\"` in kwargs", "does not run it again"}, nil},
		{"R103 not kept", gate.Notice{Length: 48_000, AlreadyRan: true, NotKept: true, Replay: "k7"},
			[]string{"already ran", "not kept", "runs it again", "`sizelimit=50000`"}, []string{"does not run", "k7"}},
		{"R103 a handle that cannot be repeated", gate.Notice{Length: 48_000, AlreadyRan: true, Replay: "a\"b"},
			[]string{"not kept"}, []string{"a\"b"}},
		{"R103 a handle that is too long", gate.Notice{Length: 48_000, AlreadyRan: true, Replay: strings.Repeat("k", 129)},
			[]string{"not kept"}, []string{"kkk"}},
		{"R99 a summary of several lines", gate.Notice{Length: 48_000, Summary: "a\n\n`b`\tc "}, []string{"(a b c, ~48,000"}, nil},
		{"R99 a summary with what nobody sees", gate.Notice{Length: 48_000, Summary: "48\u200b21\x1b[31m or\U000e0100ders\u3164"}, []string{"(4821 orders, ~48,000"}, nil},
		{"R99 a summary that is too long", gate.Notice{Length: 48_000, Summary: strings.Repeat("s", 999)}, []string{"sss…, ~48,000"}, nil},
		{"R99 negative length", gate.Notice{Length: -5}, []string{"~0 characters", "sizelimit=0"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.notice.Text()
			for _, s := range tt.want {
				if !strings.Contains(got, s) {
					t.Errorf("notice lacks %q:\n%s", s, got)
				}
			}
			for _, s := range tt.without {
				if strings.Contains(got, s) {
					t.Errorf("notice has %q:\n%s", s, got)
				}
			}
		})
	}
}

// FuzzNotice checks that no field can make the notice long, or add a line or
// markup to it.
func FuzzNotice(f *testing.F) {
	f.Add(48_000, 10_000, "4821 orders", 50_000, "status,date_range", false, false, "")
	f.Add(math.MaxInt, 0, strings.Repeat("s", 999), math.MaxInt, strings.Repeat("filter_name_that_is_32_chars_long,", 9), false, false, "")
	f.Add(math.MaxInt, 0, strings.Repeat("\u00e9", 999), 0, "", true, false, strings.Repeat("r", 128))
	f.Add(math.MinInt, math.MinInt, "a\u2028b", math.MinInt, "\u202e", true, true, "`")
	f.Fuzz(func(t *testing.T, length, limit int, summary string, suggested int, filters string, ran, lost bool, replay string) {
		n := gate.Notice{Length: length, Limit: limit, Summary: summary, Suggested: suggested,
			Filters: strings.Split(filters, ","), AlreadyRan: ran, NotKept: lost, Replay: replay}
		got := n.Text()
		if c := utf8.RuneCountInString(got); c > 600 || !utf8.ValidString(got) {
			t.Errorf("R99 notice of %d characters:\n%s", c, got)
		}
		lines, ticks := 4, 2
		if ran || lost {
			lines = 2
		}
		if ran && !lost && strings.Contains(got, "replay") {
			ticks = 4
		}
		if strings.Count(got, "`") != ticks || strings.Count(got, "\n") > lines {
			t.Errorf("a field changed the form of the notice:\n%s", got)
		}
	})
}
