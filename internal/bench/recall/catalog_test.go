package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// registered returns the paths of a catalog with the names that they lead to,
// as listed by the registry.
func registered(t *testing.T, c *catalog) map[string]string {
	t.Helper()
	list := make(map[string]string)
	err := registry.Walk(context.Background(), c.reg, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			list[f.Path()] = c.names([]registry.Match{{Namespace: l.Namespace, Name: f.Name()}})[0]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func toolsNamed(names ...string) []tool {
	var list []tool
	for _, n := range names {
		list = append(list, tool{Name: n})
	}
	return list
}

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		names string // apart by commas
		paths string
	}{
		{"fs/read_file,fs/readFile,fs/READ-FILE", "fs.read_file,fs.readFile_2,fs.READ_FILE_3"},
		{"a.b.c/d,a/b.c.d", "a.b_c_d,a.b_c_d_2"},
		{"my-server/x,my_server/x,my server.x", "my_server.x,my_server_2.x,my_server_3.x"},
		{"ping,/ping,ping/,.,/", "ping,_ping_2,ping__3,x,x_2"},
		{"a/b2,a/b,a/b-,a/b-2,a/b+", "a.b2,a.b,a.b__3,a.b_2_2,a.b__4"},
		{"読む/本,読む/紙,é/ü1", "x.x,x.x_2,x_2._1"},
	} {
		c, err := newCatalog(toolsNamed(strings.Split(tt.names, ",")...))
		if err != nil {
			t.Errorf("%s: %v", tt.names, err)
			continue
		}
		list := registered(t, c)
		paths, names := strings.Split(tt.paths, ","), strings.Split(tt.names, ",")
		for i, path := range paths {
			if list[path] != names[i] {
				t.Errorf("%s: %s leads to %q; have %v", tt.names, path, list[path], list)
			}
		}
	}
}

// TestManyTools: names that are the same to a registry do not take quadratic
// time, and none is lost.
func TestManyTools(t *testing.T) {
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("s%d/", i%7)+strings.Repeat("-", i%300)+"n"+strings.Repeat("_", i/300))
	}
	checkCatalog(t, names)
}

func FuzzCatalog(f *testing.F) {
	f.Add("fs/read_file", "fs.read.file", "fs/readfile")
	f.Add("é", "/", "\xff")
	f.Add(strings.Repeat("a", 2000)+"/b", strings.Repeat("a", 2001)+"/b", "a/"+strings.Repeat("b", 2000))
	f.Fuzz(func(t *testing.T, a, b, c string) { checkCatalog(t, []string{a, b, c}) })
}

// checkCatalog checks that each name has one place, at which a caller finds it.
func checkCatalog(t *testing.T, names []string) {
	t.Helper()
	slices.Sort(names)
	names = slices.Compact(names)
	c, err := newCatalog(toolsNamed(names...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range registered(t, c) {
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, names) {
		t.Errorf("have %.200q, want %.200q", got, names)
	}
}
