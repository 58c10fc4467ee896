package label_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/label"
)

func TestFrom(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, want := range map[string]string{
		"get_user":                     "get_user",
		"_get__user_":                  "_get__user_",
		"getUser":                      "getUser",
		"get-user":                     "get_user",
		"github.create_issue":          "github_create_issue",
		"files/read":                   "files_read",
		"  read  ":                     "read",
		"a--b":                         "a_b",
		"a-_b":                         "a_b",
		"-a.":                          "a",
		"9":                            "9",
		"9lives":                       "9lives",
		"9-lives":                      "9_lives",
		"créer":                        "creer",
		"cre\u0301er":                  "creer",
		"búsqueda":                     "busqueda",
		"Ｇｅｔ":                          "Get",
		"x²":                           "x2",
		"søk":                          "s_k",
		"\u0430dmin":                   "dmin", // the first letter is Cyrillic
		"a\u200bb":                     "a_b",
		"a\xffb":                       "a_b",
		"\u212aelvin":                  "Kelvin", // decomposed, not lower-cased
		"\x1b[31mred\x1b[0m":           "31mred_0m",
		"日本":                           "tool",
		"日本2":                          "2",
		"":                             "tool",
		"___":                          "tool",
		"-.-":                          "tool",
		long:                           long[:64],
		strings.Repeat("é", 200):       strings.Repeat("e", 64),
		strings.Repeat("-", 300) + "x": "tool",
	} {
		if got := label.From(name, "tool"); got != want {
			t.Errorf("From(%q) = %q, want %q", name, got, want)
		}
	}
}

// Labels made of others stay: what passes through two gateways has one label.
func FuzzFrom(f *testing.F) {
	for _, s := range []string{"get-user", "créer", "日本", "___", strings.Repeat("é-", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		l := label.From(name, "tool")
		if ok, _ := label.Check(l); !ok || len(l) > 64 {
			t.Fatalf("From(%q) = %q, which is no label", name, l)
		}
		if again := label.From(l, "item"); again != l {
			t.Fatalf("From(%q) = %q, and of that %q", name, l, again)
		}
	})
}

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{"Order_Mgmt": "ordermgmt", "ordermgmt": "ordermgmt", "9": "9", "_": "", "": "", "a-b": "", "\u212a": "", "a.b": ""} {
		if got, ok := label.Canonical(name); got != want || ok != (want != "") {
			t.Errorf("Canonical(%q) = %q, %v", name, got, ok)
		}
	}
	if n := testing.AllocsPerRun(10, func() { label.Canonical("ordermgmt") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func wants(names ...string) []label.Want {
	list := make([]label.Want, len(names))
	for i, name := range names {
		l := label.From(name, "tool")
		list[i] = label.Want{Key: name, Label: l, Exact: l == name}
	}
	return list
}

// Labels are distinct to a registry, whatever the order of the list is.
func TestTakeAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aA_.-é1 日")
	for range 300 {
		var names []string
		for range 30 {
			name := make([]rune, random.IntN(4))
			for i := range name {
				name[i] = letters[random.IntN(len(letters))]
			}
			names = append(names, string(name))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		byName, taken := make(map[string]string), make(map[string]bool)
		for i, l := range new(label.Set).TakeAll(wants(names...)) {
			c, ok := label.Canonical(l)
			if !ok || taken[c] {
				t.Fatalf("%q is %q, which is no label or not its own", names[i], l)
			}
			taken[c], byName[names[i]] = true, l
		}
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for i, l := range new(label.Set).TakeAll(wants(names...)) {
			if byName[names[i]] != l {
				t.Fatalf("%q is %q, and in another order %q", names[i], byName[names[i]], l)
			}
		}
	}
}

// Whoever has a label keeps it.
func TestTakeAllHad(t *testing.T) {
	list := wants("get-user", "get_user", "getUser")
	list[0].Had = "get_user_2"
	if got, want := new(label.Set).TakeAll(list), []string{"get_user_2", "get_user_bf1e2a", "getUser"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	list = wants("a", "b")
	list[1].Had = "a"
	if got, want := new(label.Set).TakeAll(list), []string{"a_ca9781", "a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A set goes on where it was, and a number that is taken is left out.
func TestTake(t *testing.T) {
	var s label.Set
	var got []string
	for _, l := range []string{"a_2", "a", "A", "a_", "b", "b"} {
		got = append(got, s.Take(l))
	}
	if want := []string{"a_2", "a", "A_3", "a__4", "b", "b_2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Very many of one name take no time that grows with their square.
func TestTakeAllOfMany(t *testing.T) {
	var names []string
	for i := range 100_000 {
		names = append(names, fmt.Sprintf("日%s", strings.Repeat("-", i%50)+string(rune(0x4e00+i/50))))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	labels := new(label.Set).TakeAll(wants(names...))
	slices.Sort(labels)
	if len(slices.Compact(labels)) != len(names) {
		t.Error("some are the same")
	}
}
