package store_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

func TestMoneyJSON(t *testing.T) {
	tests := []struct {
		money store.Money
		json  string
	}{
		{0, "0.00"}, {5, "0.05"}, {1250, "12.50"}, {-1, "-0.01"}, {-1250, "-12.50"},
		{math.MaxInt64, "92233720368547758.07"}, {math.MinInt64, "-92233720368547758.08"},
	}
	for _, tt := range tests {
		if got := toJSON(t, tt.money); got != tt.json {
			t.Errorf("%d in JSON: %s, want %s", int64(tt.money), got, tt.json)
		}
		var back store.Money
		if err := json.Unmarshal([]byte(tt.json), &back); err != nil || back != tt.money {
			t.Errorf("%s is %d, %v, want %d", tt.json, int64(back), err, int64(tt.money))
		}
	}
}

func TestMoneyUnmarshal(t *testing.T) {
	for text, want := range map[string]store.Money{"12": 1200, "12.5": 1250, "-0": 0, "-0.5": -50, "null": 7} {
		m := store.Money(7)
		if err := json.Unmarshal([]byte(text), &m); err != nil || m != want {
			t.Errorf("%s is %d, %v, want %d", text, int64(m), err, int64(want))
		}
	}
	for _, text := range []string{`12.505`, `1e2`, `1E2`, `"12.50"`, `true`, `{}`, `92233720368547758.08`, `1e999999999`} {
		m := store.Money(7)
		if err := json.Unmarshal([]byte(text), &m); err == nil || m != 7 {
			t.Errorf("%s is %d, %v, want an error", text, int64(m), err)
		}
	}
}

// FuzzMoney holds reading against writing: what is accepted is the same number.
func FuzzMoney(f *testing.F) {
	for _, seed := range []string{"0", "12.50", "-0.01", "1e3", "null", `"1"`, "92233720368547758.07"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m store.Money
		if json.Unmarshal(data, &m) != nil {
			return
		}
		written, err := json.Marshal(m)
		if err != nil || !json.Valid(written) {
			t.Fatalf("%d is written as %q, %v", int64(m), written, err)
		}
		var back store.Money
		if err := json.Unmarshal(written, &back); err != nil || back != m {
			t.Fatalf("%d came back as %d, %v", int64(m), int64(back), err)
		}
		var want float64
		if json.Unmarshal(data, &want) != nil {
			t.Fatalf("%q is no number", data)
		}
		if got := float64(m) / 100; math.Abs(got-want) > math.Abs(want)*1e-12 {
			t.Fatalf("%q was read as %v", data, got)
		}
	})
}
