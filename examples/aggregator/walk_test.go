package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A server that cannot be started is told, and the walk goes on without it.
func TestWalk(t *testing.T) {
	for face, wants := range map[string][]string{
		"cash": {
			"< - **shop** — ",
			"\n3. Or straight to what is needed",
			`> call {"namespace":"shop.orders","function":"create"`,
			`< {"order_id":"ORD-`,
			`Call ` + "`" + `help(namespace="shop.inventory", function="check")` + "`",
			", shop 1.0.0 (cash), 14 functions, 2 skills\n",
		},
		"gateway": {
			`] /shop (internal) — `,
			"\n3. Or straight to what is needed",
			`> tool_execute {"tool_id":"orders:create#`,
			`< {"status":"ok","summary":"{\"order_id\":\"ORD-`,
			`< {"status":"ok","summary":"Large result: 300 orders`,
			`< {"view":"rows 0-2 of 300 `,
			`< {"view":"matches 0-1 of 1 `,
			`> resource_browse {`, `> prompt_browse {`,
			", shop 1.0.0 (cash), 14 functions, 2 skills",
		},
		"proxy": {
			"< tool_hydrate Show the whole definition",
			"< crm_find_",
			`> tool_execute {"tool_id":"orders_create_`,
			`< {"order_id":"ORD-`,
			", shop 1.0.0 (cash), 14 functions, 2 skills\n",
		},
		"disclosure": {
			"< shop-crm-find Find customers",
			"> resources/read resource:///tool_descriptions?tools=shop-orders-create",
			`< {"shop-orders-create":{"name":`,
			"> shop-orders-create {",
			`< {"order_id":"ORD-`,
			", shop 1.0.0 (cash), 14 functions, 2 skills\n",
		},
		"facade": {
			"< ShopExecute ",
			`> ToolsExecute {"cmd":"list",`,
			`> ShopExecute {"cmd":"orders.create","params":{`,
			`< {"ok":true,"cmd":"orders.create","data":{"order_id":"ORD-`,
			", shop 1.0.0 (cash), 14 functions, 2 skills\n",
		},
		"plain": {
			"< shop-crm-find Find customers",
			"> shop-orders-create {",
			`< {"order_id":"ORD-`,
			", shop 1.0.0 (cash), 14 functions, 2 skills\n",
		},
	} {
		t.Run(face, func(t *testing.T) {
			code, page, errs := invoke(t.Context(), "-face", face, "-config", write(t, missing(), entry()))
			if code != 0 || errs != "" {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			checkPage(t, page, append(wants,
				"The server at files is not available",
				"tokens, ",
				"for the same 14 functions as ordinary MCP tools",
				"\n   files: down since ",
				"\n      unreachable: the program, or its directory, does not exist\n",
				"\n   shop: connected since ",
			)...)
			for _, unwanted := range []string{`"namespace":"files"`, `"namespace":"everything"`, `"namespace":"memory"`, `"files:`, `"memory:`} {
				if strings.Contains(page, unwanted) {
					t.Errorf("the page has %q, for which there is no server", unwanted)
				}
			}
		})
	}
}

// A catalog is walked through without any server.
func TestWalkOfCatalog(t *testing.T) {
	for face, want := range map[string]string{
		"cash":       `> help {"namespace":"github"}`,
		"gateway":    `> tool_browse {"path":"/github"}`,
		"proxy":      "github_create_issue_1_4_0_41e9b5f8 Create",
		"disclosure": "< github-create_issue Create",
		"facade":     "< GithubExecute ",
		"plain":      "< github-create_issue Create",
	} {
		code, page, errs := invoke(t.Context(), "-face", face, "-catalog", demo)
		if code != 0 || !strings.Contains(errs, "8 tools, 3 resources, 2 prompts") {
			t.Errorf("%s: exit code %d: %s", face, code, errs)
		}
		checkPage(t, page, want, "for the same 8 functions as ordinary MCP tools")
		if strings.Contains(page, "as an operator") || strings.Contains(page, "Starting") {
			t.Errorf("the page speaks of servers that there are not:\n%s", page)
		}
	}
}

// checkPage fails the test if the page lacks something, or does not fit.
func checkPage(t *testing.T, page string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for line := range strings.Lines(page) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d characters in the line %q", n, line)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"", ""},
		{strings.Repeat("é", 94), strings.Repeat("é", 94)},
		{strings.Repeat("é", 95), strings.Repeat("é", 88) + " [...]"},
	} {
		if got := cut(tt.line); got != tt.want {
			t.Errorf("cut(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}
