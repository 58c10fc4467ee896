package disclosure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

// described returns a function with a description, and parameters of all kinds of names.
func withDescription(t testing.TB, description string, opts ...registry.FuncOption) *registry.Function {
	t.Helper()
	f, err := registry.RawFunc("create_thing", description, json.RawMessage(
		`{"type":"object","properties":{"customer_id":{},"pageSize":{},"limit":{},"顧客_id":{},"größe_max":{},"a":{"type":"object","properties":{"deep_one":{}}}}}`),
		func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return f.In("orders")
}

// holdsMinimal checks what is true of every minimal description.
func holdsMinimal(t testing.TB, f *registry.Function, got string) {
	t.Helper()
	switch {
	case got == "" || got != strings.TrimSpace(got) || !utf8.ValidString(got) || utf8.RuneCountInString(got) > 300:
		t.Errorf("%q: %q", f.Description(), got)
	case strings.Count(got, "`")%2 != 0 || strings.Contains(got, "``"):
		t.Errorf("%q: an unpaired backquote: %q", f.Description(), got)
	case strings.ContainsAny(got, "{}[]\n\r\t") || strings.ContainsFunc(got, func(r rune) bool { return unicode.Is(unicode.Co, r) }):
		t.Errorf("%q: %q", f.Description(), got)
	}
	for _, name := range identifiers(f.Params()) {
		edge := func(c byte) string { // words of other scripts have no blanks between them
			if c < utf8.RuneSelf {
				return `[^A-Za-z0-9_]`
			}
			return `[\s\S]`
		}
		leak := regexp.MustCompile(`(?:^|` + edge(name[0]) + `)` + regexp.QuoteMeta(name) + `(?:$|` + edge(name[len(name)-1]) + `)`)
		if leak.MatchString(got) {
			t.Errorf("%q names the parameter %s: %q", f.Description(), name, got)
		}
	}
}

// identifiers returns the names of parameters that are no words.
func identifiers(params []registry.Param) []string {
	var list []string
	for _, p := range params {
		if strings.ContainsAny(p.Name, "_0123456789") || strings.IndexFunc(p.Name, unicode.IsUpper) > 0 {
			list = append(list, p.Name)
		}
		list = append(list, identifiers(p.Fields)...)
	}
	return list
}

// TestP2Warnings: a warning or a deprecation survives, wherever it stands.
func TestP2Warnings(t *testing.T) {
	for _, tt := range []struct{ description, want string }{
		{"Create an order. DEPRECATED: use create_v2.", "Create an order. DEPRECATED: use create_v2."},
		{"DEPRECATED: use create_v2 instead. Creates an order. More.", "DEPRECATED: use create_v2 instead. Creates an order."},
		{"[DEPRECATED] Create an order. More.", "(DEPRECATED) Create an order."},
		{"**Deprecated** since 2.0. Create an order. More.", "Deprecated since 2.0. Create an order."},
		{"Delete a project. All its issues go too. This cannot be undone.", "Delete a project. This cannot be undone."},
		{"Delete a project.\n\nMore.\n\n⚠️ WARNING: this is irreversible!", "Delete a project. ⚠ WARNING: this is irreversible!"},
		{"Delete a project\n\nThis can’t be undone", "Delete a project. This can't be undone"},
		{"Send a mail. It has a subject. Do not use for newsletters. Has a body.", "Send a mail. Do not use for newsletters."},
		{"Send a mail. More. Once sent, a mail can't be recovered.", "Send a mail. Once sent, a mail can't be recovered."},
		{"Write a file. Use with caution as it will overwrite files. Only here.", "Write a file. Use with caution as it will overwrite files."},
		{"## Warning\nThis deletes all.\n\n## Description\nReset the database.", "Warning: This deletes all. Reset the database."},
		{"Drop it.\n\nArgs:\n    force: Permanently delete.\n\nThis cannot be undone.", "Drop it. This cannot be undone."},
		{"Drop it.\n\nArgs:\n    force: Permanently delete.\n", "Drop it."},
		{"Drop it.\n\n- limit: never use more than 5; cannot be undone\n- Do not use on Mondays", "Drop it. Do not use on Mondays"},
		{"Drop it.\n\n```\ndrop() # cannot be undone\n```\n\nCannot be undone.", "Drop it. Cannot be undone."},
		{"Drop it. For example, drop(1). Use drop_v2 instead.", "Drop it. Use drop_v2 instead."},
		{"Drop it (irreversible). More.", "Drop it (irreversible)."},
		{"Drop it (cannot be undone, e.g. by support). More.", "Drop it (cannot be undone)."},
		{"Drop it. `drop(1)` cannot be undone.", "Drop it. this cannot be undone."},
		{"Drop it; `drop(1)` is irreversible.", "Drop it; this is irreversible."},
		{"Drop it, e.g. a table; that cannot be undone.", "Drop it; that cannot be undone."},
		{"Search the web.\n\nWhen to use:\n- News of the day\n- Facts\n\nWhen NOT to use:\n- Local files\n", "Search the web. For: News of the day; Facts. Not for: Local files"},
		{"Make it. Use this tool when a customer orders. More.", "Make it. Use this tool when a customer orders."},
		{"Make it. Don't hesitate to ask. More.", "Make it."},
		{"Drop " + strings.Repeat("the records and ", 12) + "the rest, which cannot be undone by anyone.",
			"Drop " + strings.TrimSpace(strings.Repeat("the records and ", 7)) + " the… which cannot be undone by anyone."},
		{"Drop it. " + strings.Repeat("Never use it twice a day or more often than that. Cannot be undone, not even by us. Dangerous for all. ", 30),
			"Drop it. Never use it twice a day or more often than that. Cannot be undone, not even by us. Dangerous for all."},
	} {
		f := withDescription(t, tt.description)
		got := disclosure.Minimal(f)
		if got != tt.want {
			t.Errorf("%q:\n%q, want\n%q", tt.description, got, tt.want)
		}
		holdsMinimal(t, f, got)
	}
}

// TestP2Languages: in other languages, no purpose is lost and no parameter told.
func TestP2Languages(t *testing.T) {
	for _, tt := range []struct{ description, want string }{
		{"根据customer_id查询订单。支持分页，参数：limit 每页数量。", "根据customer id查询订单。"},
		{"创建订单（customer_id：客户编号，limit：上限）。不可撤销！请勿用于测试。", "创建订单。不可撤销！请勿用于测试。"},
		{"通过`customer_id`删除客户及其订单，此操作不可撤销。例如：delete(1)", "通过customer id删除客户及其订单，此操作不可撤销。"},
		{"已弃用：请使用 create_v2。创建订单。返回值：订单。", "已弃用：请使用 create_v2。创建订单。"},
		{"发送邮件，注意：邮件一旦发送就无法撤回。", "发送邮件，注意：邮件一旦发送就无法撤回。"},
		{"ファイル、例えばPDFを変換する。引数：customer_id 顧客。", "ファイル、例えばPDFを変換する。"},
		{"顧客_idで注文を検索します。pageSizeは件数です。", "顧客 idで注文を検索します。"},
		{"顧客を削除します。この操作は元に戻せません。使用例：delete(1)", "顧客を削除します。この操作は元に戻せません。"},
		{"注文を検索します（例：customer_id=3）。", "注文を検索します。"},
		{"주문을 생성합니다. 더 이상 사용되지 않습니다. 매개변수: customer_id", "주문을 생성합니다. 더 이상 사용되지 않습니다."},
		{"Legt eine Bestellung an, z. B. für einen Kunden. Sie kann nicht rückgängig gemacht werden.", "Legt eine Bestellung an. Sie kann nicht rückgängig gemacht werden."},
		{"Wandelt Dateien, z. B. PDFs, in Text um. Parameter: customer_id", "Wandelt Dateien, z. B. PDFs, in Text um."},
		{"Sucht nach größe_max bzw. customer_id am 3. Tag. VERALTET: nutzen Sie suche2.", "Sucht nach größe max bzw. customer id am 3. Tag. VERALTET: nutzen Sie suche2."},
		{"Supprime un projet. Cette action est irréversible. Paramètres : customer_id", "Supprime un projet. Cette action est irréversible."},
		{"Elimina un proyecto, p. ej. antiguo. Hay más. Esta acción no se puede deshacer.", "Elimina un proyecto. Esta acción no se puede deshacer."},
		{"Удаляет проект по customer_id. Это действие необратимо. Пример: delete(1)", "Удаляет проект по customer id. Это действие необратимо."},
		{"ينشئ طلبًا للعميل customer_id. لا يمكن التراجع عن هذا الإجراء. مثال: create(1)", "ينشئ طلبًا للعميل customer id. لا يمكن التراجع عن هذا الإجراء."},
		{"ग्राहक का आदेश बनाता है। और अधिक।", "ग्राहक का आदेश बनाता है।"},
		{"สร้างคำสั่งซื้อสำหรับลูกค้า customer_id", "สร้างคำสั่งซื้อสำหรับลูกค้า customer id"},
	} {
		f := withDescription(t, tt.description)
		got := disclosure.Minimal(f)
		if got != tt.want {
			t.Errorf("%q:\n%q, want\n%q", tt.description, got, tt.want)
		}
		holdsMinimal(t, f, got)
	}
}

// TestP2Code: code is kept whole, or left out with its clause.
func TestP2Code(t *testing.T) {
	for _, tt := range []struct{ description, want string }{
		{"Run `git status` in a repository. More.", "Run `git status` in a repository."},
		{"Run it as ``git `x` status`` or `a. b. c` now. More.", "Run it or `a. b. c` now."},
		{"Match files by `**/*.go` or `a.b`. More.", "Match files by `**/*.go` or `a.b`."},
		{"Filter issues with `{\"state\":\"open\"}` by label.", "Filter issues by label."},
		{"Find issues with `state=open`.", "Find issues."},
		{"Look up an order by `customer_id` or `--page-size`.", "Look up an order by customer id or `--page-size`."},
		{"Use `foo to bar the thing. More.", "Use foo to bar the thing."},
		{"Parse `{\"a\":1}` into a tree. Returns a tree.", "Returns a tree."},
		{"Parse `{\"a\":1}` into a tree.", "orders create thing"},
		{"If `x(1)` is given, list the orders.", "list the orders."},
		{"Converts JSON like `{\"a\":1}` into YAML.", "Converts JSON into YAML."},
		{"Converts files, for example PDFs, to text. More.", "Converts files to text."},
		{"Get /users/{customer_id}/orders of a customer.", "Get /users/…/orders of a customer."},
		{"Searches https://www.github.com/a/b?c for code. More.", "Searches github.com for code."},
		{"Fetches a page from https://example.com/a as text.", "Fetches a page as text."},
		{strings.Repeat("word ", 30) + "`some code that is long`.", strings.TrimSpace(strings.Repeat("word ", 30)) + "…"},
	} {
		f := withDescription(t, tt.description)
		got := disclosure.Minimal(f)
		if got != tt.want {
			t.Errorf("%q:\n%q, want\n%q", tt.description, got, tt.want)
		}
		holdsMinimal(t, f, got)
	}
}

// TestP2Properties holds what is true of every description, made of pieces that meet in all ways.
func TestP2Properties(t *testing.T) {
	pieces := []string{
		"Create an order", "customer_id", "顧客_id", "größe_max", "pageSize", "deep_one", "`", "``", "```", "`customer_id`", "`{\"a\":1}`", "`ls -l`",
		"{", "}", "[", "]", "(", ")", "（", "）", ". ", "。", "，", "、", ", ", "; ", ": ", "：", "\n", "\n\n", "- ", "# ", "例如", "e.g. ", "for example ",
		"Args:\n", "参数：", "DEPRECATED: use x. ", "Cannot be undone. ", "不可撤销", "z. B. ", "https://a.b/c?d={e}", "/o/{customer_id}", "🙂", "\u202e", "…", "\ue000", "\uf8ff", " ", " ", " with ", " of ", "名前",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		var b strings.Builder
		for range 1 + r.IntN(30) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		f := withDescription(t, b.String())
		if holdsMinimal(t, f, disclosure.Minimal(f)); t.Failed() {
			return
		}
	}
}

// TestP1Summary: the author's own line is shown as it is.
func TestP1Summary(t *testing.T) {
	const line = "Orders: customer_id and `{` stay (example). "
	reg := registry.New(nil)
	does := func(context.Context, createOrder) (order, error) { return order{}, nil }
	reg.Namespace("orders", "").Add(registry.Func("create", "Create an order. More.", does, registry.Summary(strings.TrimSpace(line))),
		registry.Func("make", "Create an order. More.", does))
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	tools := c.Tools()
	if tools[0].Description != strings.TrimSpace(line) || tools[1].Description != "Create an order." {
		t.Errorf("%q, %q", tools[0].Description, tools[1].Description)
	}
	if got := c.fetch("tools=orders-create")["orders-create"].Description; got != "Create an order. More." {
		t.Errorf("the second stage has %q", got)
	}
}

// TestP1Alike: equal sentences are told apart, by what the caller sees only.
func TestP1Alike(t *testing.T) {
	reg := registry.New(nil)
	add := func(path, name, description string, opts ...registry.FuncOption) {
		reg.Namespace(path, "").Add(registry.Func(name, description, func(context.Context, none) (string, error) { return "", nil }, opts...))
	}
	add("orders", "get", "Retrieve one by its number.")
	add("invoices.paid", "get", "Retrieve one by its number")
	add("", "get", "Retrieve one by its number.")
	add("books", "by_title", "Search the catalogue. The title decides.")
	add("books", "by_author", "Search the catalogue. The author decides.")
	add("books", "one", "Find it.")
	add("books", "two", "Find it.")
	add("books", "list_all", "List them.")
	add("books", "listAll2", "List them.", registry.VisibleTo(registry.Roles("admin")))
	add("cjk", "a", "检索订单。")
	add("kjc", "a", "检索订单。")
	add("sum", "a", "Add.", registry.Summary("Add numbers."))
	add("plus", "a", "Add numbers.")
	list := func(c *registry.Caller) map[string]string {
		m := make(map[string]string)
		for _, tool := range connect(t, disclosure.NewServer(reg, nil), c).Tools() {
			m[tool.Name] = tool.Description
		}
		return m
	}
	got := list(nil)
	for name, want := range map[string]string{
		"orders-get":        "Retrieve one by its number (orders).",
		"invoices-paid-get": "Retrieve one by its number (invoices paid)",
		"get":               "Retrieve one by its number.",
		"books-by_title":    "Search the catalogue. The title decides.",
		"books-by_author":   "Search the catalogue. The author decides.",
		"books-one":         "Find it (books one).",
		"books-two":         "Find it (books two).",
		"books-list_all":    "List them.",
		"cjk-a":             "检索订单 (cjk)。",
		"sum-a":             "Add numbers.",
		"plus-a":            "Add numbers (plus).",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	admin := list(&registry.Caller{ID: "a", Roles: []string{"admin"}})
	if admin["books-list_all"] == admin["books-listAll2"] || admin["books-list_all"] == "List them." {
		t.Errorf("an admin sees %q", admin)
	}
}

// TestP1AlikeBounded: what is added keeps to the bound, and to what warns.
func TestP1AlikeBounded(t *testing.T) {
	reg := registry.New(nil)
	long := "Drop " + strings.Repeat("the records and ", 12) + "the rest. " + strings.Repeat("Never use it twice a day, nor for others. Cannot be undone. ", 9)
	for _, path := range []string{"orders", "invoices." + strings.Repeat("x", 60)} {
		reg.Namespace(path, "").Add(registry.Func("drop", long, func(context.Context, none) (string, error) { return "", nil }))
	}
	tools := connect(t, disclosure.NewServer(reg, nil), nil).Tools()
	for _, tool := range tools {
		if n := utf8.RuneCountInString(tool.Description); n > 300 || !strings.Contains(tool.Description, "Never use it") {
			t.Errorf("%s: %d characters: %s", tool.Name, n, tool.Description)
		}
	}
	if tools[0].Description == tools[1].Description {
		t.Errorf("both are %q", tools[0].Description)
	}
}

// TestP1Pages: functions on different pages of the list are told apart, too.
func TestP1Pages(t *testing.T) {
	reg := registry.New(nil)
	for i := range 2500 {
		reg.Namespace(fmt.Sprintf("n%04d", i), "").Add(registry.Func("f", "Do it.", func(context.Context, none) (string, error) { return "", nil }))
	}
	var texts []string
	for _, tool := range connect(t, disclosure.NewServer(reg, nil), nil).Tools() {
		texts = append(texts, tool.Description)
	}
	slices.Sort(texts)
	if n := len(slices.Compact(texts)); n != 2500 {
		t.Errorf("%d descriptions of 2500 functions", n)
	}
}
