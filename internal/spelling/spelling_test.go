package spelling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/spelling"
)

func Example() {
	fmt.Println(spelling.Distance("craete", "create", 2))
	// Output: 1
}

func TestDistance(t *testing.T) {
	long := strings.Repeat("a", spelling.MaxLength)
	for _, tt := range []struct {
		a, b       string
		most, want int
	}{
		{"", "", 0, 0},
		{"", "ab", 2, 2},
		{"list", "list", 0, 0},
		{"list", "lists", 1, 1},
		{"list", "lsit", 1, 1},
		{"list", "lost", 1, 1},
		{"list", "mist", 0, 1},
		{"delete", "select", 2, 3},
		{"kitten", "sitting", 3, 3},
		{"ca", "abc", 3, 3}, // no character is edited twice
		{"größe", "grösse", 2, 2},
		{"日本語", "日語本", 1, 1},
		{long, long[1:], 1, 1},
		{long + "b", long + "c", 2, 3},
		{long + "b", long + "b", 2, 0},
	} {
		if got := spelling.Distance(tt.a, tt.b, tt.most); got != tt.want {
			t.Errorf("Distance(%.10q, %.10q, %d) = %d, want %d", tt.a, tt.b, tt.most, got, tt.want)
		}
		if got := spelling.Distance(tt.b, tt.a, tt.most); got != tt.want {
			t.Errorf("Distance(%.10q, %.10q, %d) = %d, want %d", tt.b, tt.a, tt.most, got, tt.want)
		}
	}
}

// FuzzDistance compares with the definition, and with what a lower bound says.
func FuzzDistance(f *testing.F) {
	f.Add("create", "craete", 2)
	f.Add("", "日本", 1)
	f.Fuzz(func(t *testing.T, a, b string, most int) {
		if most %= 5; most < 0 {
			most = -most
		}
		ra, rb := []rune(a), []rune(b)
		if len(ra) > 40 || len(rb) > 40 {
			return
		}
		want := min(naive(ra, rb), most+1)
		if got := spelling.Distance(string(ra), string(rb), most); got != want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", a, b, most, got, want)
		}
	})
}

func naive(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func BenchmarkDistance(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		spelling.Distance("subscription", "subscirptions", 2)
	}
}
