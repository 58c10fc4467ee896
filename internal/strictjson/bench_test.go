package strictjson_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// order is an ordinary document of about 400 bytes.
var order = []byte(`{"customer_id":"CUST-20931","items":[{"product_id":"SKU-1001","quantity":2,"note":"gift wrap, please"},` +
	`{"product_id":"SKU-2002","quantity":1},{"product_id":"SKU-3003","quantity":12,"note":"leave at the door"}],` +
	`"priority":"normal","shipping":{"street":"12 Harbour Lane","city":"Bergen","postcode":"5003","express":false},` +
	`"notes":"Customer prefers deliveries before noon; call on arrival.","total":149.95}`)

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(order)))
	b.ReportAllocs()
	for b.Loop() {
		if err := strictjson.Check(order); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJSONValid is the yardstick for BenchmarkCheck.
func BenchmarkJSONValid(b *testing.B) {
	b.SetBytes(int64(len(order)))
	b.ReportAllocs()
	for b.Loop() {
		if !json.Valid(order) {
			b.Fatal("invalid")
		}
	}
}

func BenchmarkRawMembers(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range strictjson.RawMembers(order) {
			n++
		}
		if n != 6 {
			b.Fatal(n)
		}
	}
}

func ExampleCheck() {
	fmt.Println(strictjson.Check([]byte(`{"id": 1, "id": 2}`)))
	// Output: duplicate key "id" at byte 10
}

func ExampleMembers() {
	for name, value := range strictjson.Members([]byte(`{"id": 9007199254740993, "tags": ["a"]}`)) {
		fmt.Println(name, strictjson.KindOf(value), string(value))
	}
	// Output:
	// id number 9007199254740993
	// tags array ["a"]
}
