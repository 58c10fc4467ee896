package cash_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// publishing is a server with something to hide.
func publishing(m *manifest.Manifest) *cash.Server {
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage orders.\nMore of it.").Add(registry.Func("create", "Create.", nothing))
	reg.Namespace("orders", "").AddSkill(registry.NewSkill("create-order-safely", "Create an order.", "Do it."))
	reg.Namespace("bare", "").Add(registry.Func("f", "", nothing))
	admin := reg.Namespace("vault", "Secrets.", registry.VisibleTo(registry.Roles("admin")))
	admin.Add(registry.Func("open", "Open.", nothing))
	admin.AddSkill(registry.NewSkill("rob", "", "Rob it."))
	return cash.NewServer(reg, &cash.Options{Name: "shop", Manifest: m})
}

// serveAll mounts the endpoint and the manifest on loopback.
func serveAll(t *testing.T, srv *cash.Server) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	mux.Handle(manifest.WellKnownPath, srv.ManifestHandler())
	ts := httptest.NewServer(mux)
	t.Cleanup(ts.Close)
	return ts
}

func get(t *testing.T, method, url, accept string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestR110Manifest reads the manifest as a client does: R110 to R113, R117, X4.
func TestR110Manifest(t *testing.T) {
	ts := serveAll(t, publishing(nil))
	resp, body := get(t, "GET", ts.URL+manifest.WellKnownPath, "")
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/yaml" {
		t.Fatalf("status %d, type %q: %s", resp.StatusCode, resp.Header.Get("Content-Type"), body)
	}
	m, err := manifest.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	m.LastUpdated = "" // today
	want := &manifest.Manifest{
		Version: "0.1.1", Publisher: "shop", Endpoint: ts.URL + "/mcp",
		Namespaces: []manifest.Namespace{
			{Suggested: "bare", Description: "What bare can do."},
			{Suggested: "orders", Description: "Create and manage orders."},
		},
		Skills: []manifest.Skill{{Name: "create-order-safely", Description: "Create an order."}},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("the manifest is\n%+v, want\n%+v", m, want)
	}
	if resp, body := get(t, "GET", ts.URL+manifest.WellKnownPath, "application/json"); resp.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(body, "{") {
		t.Errorf("as JSON: %s", body)
	}
	if resp, _ := get(t, "POST", ts.URL+manifest.WellKnownPath, ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", resp.StatusCode)
	}
}

// TestR110NothingTwice holds that a manifest lists each name once, and words what has no description.
func TestR110NothingTwice(t *testing.T) {
	reg := registry.New(nil)
	for _, path := range []string{"", "crm", "orders", "orders.retail"} {
		ns := reg.Namespace(path, "")
		ns.AddSkill(registry.NewSkill("refund-order", "# Refunds", "Do it."), registry.NewSkill("ship", "", "Do it."))
		ns.Add(registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", nil }))
	}
	m, err := cash.NewServer(reg, nil).Manifest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range m.Skills {
		got = append(got, s.Name+": "+s.Description)
	}
	want := []string{
		"refund-order: Refunds", "ship: How to ship.", "crm.refund-order: Refunds", "crm.ship: How to ship.",
		"orders.refund-order: Refunds", "orders.ship: How to ship.", "orders.retail.refund-order: Refunds", "orders.retail.ship: How to ship.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the skills are %q, want %q", got, want)
	}
	if len(m.Namespaces) != 2 || m.Namespaces[0].Description != "What crm can do." {
		t.Errorf("the namespaces are %+v", m.Namespaces)
	}
}

// TestR115Identity holds that the resource says what the document does, through
// any transport, and is not for users.
func TestR115Identity(t *testing.T) {
	srv := publishing(&manifest.Manifest{Publisher: "Shop Inc.", Endpoint: "https://shop.example/mcp", LastUpdated: "2026-01-02"})
	ts := serveAll(t, srv)
	_, body := get(t, "GET", ts.URL+manifest.WellKnownPath, "application/json")
	want, err := manifest.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	inMemory, outside := mcp.NewInMemoryTransports()
	go srv.Run(t.Context(), inMemory)
	for name, transport := range map[string]mcp.Transport{"memory": outside, "HTTP": &mcp.StreamableClientTransport{Endpoint: ts.URL + "/mcp"}} {
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		list, err := client.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "cash://server" {
			t.Fatalf("%s: resources %+v, %v", name, list, err)
		}
		if a := list.Resources[0].Annotations; a == nil || len(a.Audience) != 1 || a.Audience[0] != "assistant" {
			t.Errorf("%s: the resource is for users: %+v", name, a)
		}
		r, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cash://server"})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].MIMEType != "application/json" {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		got, err := manifest.Parse([]byte(r.Contents[0].Text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the resource is\n%+v (%v), want\n%+v", name, got, err, want)
		}
	}
}

// TestManifestEndpoint holds which endpoint is named when none is given.
func TestManifestEndpoint(t *testing.T) {
	srv := publishing(nil)
	for host, want := range map[string]string{
		"shop.example": "https://shop.example/mcp", "shop.example:8443": "https://shop.example:8443/mcp",
		"localhost:80": "http://localhost:80/mcp", "[::1]:80": "http://[::1]:80/mcp",
		"[::1]": "http://[::1]/mcp", "[2001:db8::1]": "https://[2001:db8::1]/mcp",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", manifest.WellKnownPath, nil)
		r.Host = host
		srv.ManifestHandler().ServeHTTP(w, r)
		if m, err := manifest.Parse(w.Body.Bytes()); err != nil || m.Endpoint != want {
			t.Errorf("%s: %+v, %v, want %s", host, m, err, want)
		}
	}
	for _, host := range []string{"a@b", "a b", "x/y\n", ""} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", manifest.WellKnownPath, nil)
		r.Host = host
		srv.ManifestHandler().ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("host %q: status %d: %s", host, w.Code, w.Body)
		}
	}
	if m, err := srv.Manifest(t.Context()); err != nil || m.Endpoint != "stdio:shop" {
		t.Errorf("without a request: %+v, %v", m, err)
	}
}

// TestR113ManifestOfMany holds that a server with more than a document can hold has
// a manifest all the same, of which the namespaces are what counts.
func TestR113ManifestOfMany(t *testing.T) {
	const namespaces, skills = 6000, 3000
	reg := registry.New(nil)
	for i := range namespaces {
		ns := reg.Namespace(fmt.Sprintf("ns%d", i), strings.Repeat(`a "b" é\ `, 25))
		ns.Add(registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", nil }))
		if i < skills {
			ns.AddSkill(registry.NewSkill(fmt.Sprintf("skill-%d", i), strings.Repeat(`"\`, 300), "Do it."))
		}
	}
	ts := serveAll(t, cash.NewServer(reg, nil))
	for _, accept := range []string{"application/yaml", "application/json"} {
		resp, body := get(t, "GET", ts.URL+manifest.WellKnownPath, accept)
		m, err := manifest.Parse([]byte(body))
		if err != nil {
			t.Fatalf("%s: status %d, %d bytes: %v", accept, resp.StatusCode, len(body), err)
		}
		if len(m.Namespaces) != namespaces || len(m.Skills) == 0 || len(m.Skills) >= skills {
			t.Errorf("%s: %d namespaces, %d skills", accept, len(m.Namespaces), len(m.Skills))
		}
	}
}

// TestR113LastUpdated holds that the date is that of the last change which those
// who read the manifest can see, unless the embedder says another.
func TestR113LastUpdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it begins on 2000-01-01
		nothing := func(context.Context, struct{}) (string, error) { return "", nil }
		reg := registry.New(nil)
		reg.Namespace("orders", "Orders.").Add(registry.Func("create", "Create.", nothing))
		srv := cash.NewServer(reg, nil)
		fixed := cash.NewServer(reg, &cash.Options{Manifest: &manifest.Manifest{LastUpdated: "1999-12-31"}})
		for _, step := range []struct {
			what, want string
			change     func()
		}{
			{"at the start", "2000-01-01", func() {}},
			{"as before", "2000-01-01", func() {}},
			{"a namespace", "2000-01-05", func() { reg.Namespace("stock", "Stock.").Add(registry.Func("level", "", nothing)) }},
			{"another function", "2000-01-05", func() { reg.Namespace("stock", "Stock.").Add(registry.Func("order", "", nothing)) }},
			{"a hidden namespace", "2000-01-05", func() {
				reg.Namespace("vault", "", registry.VisibleTo(registry.Roles("admin"))).Add(registry.Func("open", "", nothing))
			}},
			{"a skill", "2000-01-11", func() { reg.Namespace("stock", "").AddSkill(registry.NewSkill("count", "", "Count.")) }},
		} {
			step.change()
			m, err := srv.Manifest(registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}}))
			if err != nil || m.LastUpdated != step.want {
				t.Errorf("%s: %+v, %v; want %s", step.what, m, err, step.want)
			}
			if m, err := fixed.Manifest(t.Context()); err != nil || m.LastUpdated != "1999-12-31" {
				t.Errorf("%s: %+v, %v", step.what, m, err)
			}
			time.Sleep(48 * time.Hour)
		}
	})
}

// TestR113ManifestMistakes holds that what could not be published is refused when
// the server is made, and that an empty server still has a manifest.
func TestR113ManifestMistakes(t *testing.T) {
	for what, m := range map[string]*manifest.Manifest{
		"scheme":     {Authentication: &manifest.Authentication{Scheme: "basic"}},
		"date":       {LastUpdated: "yesterday"},
		"namespaces": {Namespaces: []manifest.Namespace{}},
		"entry":      {Namespaces: []manifest.Namespace{{Suggested: "x"}}},
		"size":       {Skills: slices.Repeat([]manifest.Skill{{Name: "x", Description: strings.Repeat("x", 200)}}, manifest.MaxEntries)},
	} {
		func() {
			defer func() {
				if v := recover(); v == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			publishing(m)
		}()
	}
	m, err := cash.NewServer(registry.New(nil), nil).Manifest(t.Context())
	if err != nil || len(m.Namespaces) != 1 || m.Namespaces[0].Suggested != "cash" {
		t.Errorf("of an empty server: %+v, %v", m, err)
	}
}
