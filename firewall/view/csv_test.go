package view_test

import (
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestW33_TablesAsTheStandardLibraryReadsThem compares the reader of tables with
// encoding/csv, which refuses some of what the reader takes.
func TestW33_TablesAsTheStandardLibraryReadsThem(t *testing.T) {
	parts := []string{"a", "b c", ",", ",", "\n", "\n", "\r\n", `"x"`, `"x,y"`, "\"x\ny\"", `""`, `"a""b"`, "'", "é", "5"}
	r := rand.New(rand.NewPCG(9, 10))
	compared := 0
	for range 20_000 {
		var b strings.Builder
		b.WriteString("h1,h2\n")
		for range r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		if compareTable(t, b.String()) {
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d tables were compared", compared)
	}
}

// compareTable compares what a view shows of a table with what encoding/csv
// reads. It reports false if that refuses the table.
func compareTable(t *testing.T, data string) bool {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(data))
	reader.FieldsPerRecord = -1
	want, err := reader.ReadAll()
	if err != nil || len(want) == 0 {
		return false
	}
	var got struct {
		Columns []string   `json:"columns"`
		Rows    [][]string `json:"rows"`
	}
	p := lookWithin(t, data, "text/csv", `{"type":"rows"}`, 100_000)
	if err := json.Unmarshal(p.Data, &got); err != nil {
		t.Fatal(err)
	}
	if all := append([][]string{got.Columns}, got.Rows...); !reflect.DeepEqual(all, want) {
		t.Fatalf("%q\n got %q\nwant %q", data, all, want)
	}
	return true
}

// TestW33_HostileTablesEnd holds that reading takes time linear in a table, with
// quotes that are never closed in particular.
func TestW33_HostileTablesEnd(t *testing.T) {
	const size = 1 << 20
	for name, data := range map[string]string{
		"quotes that open": "a,b\n" + strings.Repeat("\"x\n", size/3),
		"quotes":           "a,b\n" + strings.Repeat(`"`, size),
		"quotes in pairs":  "a,b\n" + strings.Repeat("\"\"x,", size/4),
		"commas":           strings.Repeat(",", size),
		"one field":        "a,b\n\"" + strings.Repeat("x\n", size/2),
		"empty lines":      "a,b\n" + strings.Repeat("\n", size) + "1,2",
		"returns":          "a,b\n" + strings.Repeat("\r", size),
	} {
		for _, selector := range []string{`{"type":"rows"}`, `{"type":"rows","columns":["b","a"]}`, `{"type":"rows","end":1}`} {
			if name == "commas" && strings.Contains(selector, "columns") {
				continue // it has none of that name
			}
			p := look(t, data, "text/csv", selector)
			if !strings.HasPrefix(string(p.Data), `{"columns":[`) {
				t.Errorf("%s: %.100s", name, p.Data)
			}
		}
	}
}

// FuzzTable compares tables of characters that show with what encoding/csv reads.
func FuzzTable(f *testing.F) {
	for _, data := range []string{"a,b\n1,2\n", "a,b\r\n\"1\"\"\",\"x\ny\"\r\n\r\n3", "a\n\"\"\n", "a,\n,b"} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) {
		for _, c := range []byte(data) {
			if (c < ' ' || c > '~') && c != '\n' {
				return // cleaning changes it
			}
		}
		if first, _, _ := strings.Cut(data, "\n"); len(data) > 2000 || strings.ContainsAny(first, ";|") || !strings.Contains(first, ",") {
			return // what separates the fields is guessed from the first lines
		}
		compareTable(t, data)
	})
}
