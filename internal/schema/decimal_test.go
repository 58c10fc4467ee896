package schema_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

func TestDecimalCanonical(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "-0": "0", "0.000e5": "0", "1": "1e0", "1.0": "1e0", "10": "1e1", "100e-2": "1e0", "-12.50": "-125e-1",
		"0.05": "5e-2", "1050.10": "10501e-1", "9007199254740993": "9007199254740993e0", "1e400": "1e400",
		"1e99999999999999999999": "1e2305843009213693951", "-1E-99999999999999999999": "-1e-2305843009213693951",
	} {
		if _, got, _, _ := schema.Decimal(number, "1"); got != want {
			t.Errorf("%s is spelled %s, want %s", number, got, want)
		}
	}
}

func TestDecimalCompare(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"9007199254740993", "9007199254740992", 1}, {"1.5", "15e-1", 0}, {"-1", "1", -1}, {"-2", "-10", 1}, {"0.1", "0.10000000000000000001", -1},
		{"1e1000000000", "9e999999999", 1}, {"0", "-1e-1000000000", 1}, {"12.5", "1.25e1", 0}, {"99.9", "100", -1}, {"10.01", "10.1", -1},
	} {
		for _, sign := range []int{1, -1} {
			got, _, _, _ := schema.Decimal(test.a, test.b)
			if got != test.want*sign {
				t.Errorf("%s against %s is %d, want %d", test.a, test.b, got, test.want*sign)
			}
			test.a, test.b = test.b, test.a
		}
	}
}

// FuzzDecimal holds decimals to big.Rat.
func FuzzDecimal(f *testing.F) {
	for _, seed := range [][2]string{{"1.5", "0.5"}, {"-12e3", "7"}, {"100", "1e2"}, {"0.000", "-3"}, {"123456789012345678901234567890", "0.1e1"}, {"1e-30", "1e-31"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okA := rat(a)
		y, okB := rat(b)
		if !okA || !okB {
			return
		}
		compared, canonical, integer, multiple := schema.Decimal(a, b)
		if compared != x.Cmp(y) {
			t.Errorf("%s against %s is %d", a, b, compared)
		}
		if integer != x.IsInt() {
			t.Errorf("%s is an integer: %t", a, integer)
		}
		if z, ok := rat(canonical); !ok || z.Cmp(x) != 0 {
			t.Errorf("%s is spelled %s", a, canonical)
		}
		if _, again, _, _ := schema.Decimal(canonical, b); again != canonical {
			t.Errorf("%s is spelled %s, and that %s", a, canonical, again)
		}
		want := x.Sign() == 0 || y.Sign() != 0 && new(big.Rat).Quo(x, y).IsInt()
		if multiple != want {
			t.Errorf("%s is a multiple of %s: %t", a, b, multiple)
		}
	})
}

// rat reads a JSON number of modest size.
func rat(text string) (*big.Rat, bool) {
	var n json.Number
	if len(text) > 200 || json.Unmarshal([]byte(text), &n) != nil || strings.TrimSpace(text) != text || text[0] == '"' || text == "null" {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
