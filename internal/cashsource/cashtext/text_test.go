package cashtext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"named", `call(namespace="orders", function="create", kwargs={"namespace": "x"})`, `call(namespace="shop.orders", function="create", kwargs={"namespace": "x"})`},
		{"nested path", `help(namespace="orders.retail")`, `help(namespace="shop.orders.retail")`},
		{"single quotes", `help(namespace='orders')`, `help(namespace='shop.orders')`},
		{"typographic quotes", `help(namespace=“orders”) help(namespace=„orders“) skill(namespace=‘orders’, name=‘x’)`, `help(namespace=“shop.orders”) help(namespace=„shop.orders“) skill(namespace=‘shop.orders’, name=‘x’)`},
		{"escaped quotes", `"help(namespace=\"orders\", function=\"a\") skill(name=\"b\")"`, `"help(namespace=\"shop.orders\", function=\"a\") skill(namespace=\"shop\", name=\"b\")"`},
		{"colon and blanks", `call( namespace : "orders" , function : "get" )`, `call( namespace : "shop.orders" , function : "get" )`},
		{"keyword in any spelling", `call(Name_Space="orders", function="get")`, `call(Name_Space="shop.orders", function="get")`},
		{"namespace last", `call(function="get", namespace="orders")`, `call(function="get", namespace="shop.orders")`},
		{"several lines", "> call(\n>   namespace: \"orders\", # first\n>   function: \"get\",\n> )", "> call(\n>   namespace: \"shop.orders\", # first\n>   function: \"get\",\n> )"},
		{"several lines, missing", "call(\n  function: 'get',\n)", "call(\n  namespace: 'shop', function: 'get',\n)"},
		{"fenced", "```\nhelp(namespace=\"orders\")\n```", "```\nhelp(namespace=\"shop.orders\")\n```"},
		{"no arguments", "help() `skill()` help( )", `help(namespace="shop") ` + "`skill(namespace=\"shop\")`" + ` help(namespace="shop" )`},
		{"options only", `help(params="full") help(kwargs={"search": "x"})`, `help(namespace="shop", params="full") help(namespace="shop", kwargs={"search": "x"})`},
		{"X12 a skill without namespace", `skill(skillname="x") skill(name: "y")`, `skill(namespace="shop", skillname="x") skill(namespace: "shop", name: "y")`},
		{"a function at the root", `call(function="ping", kwargs={}) help(function="ping")`, `call(namespace="shop", function="ping", kwargs={}) help(namespace="shop", function="ping")`},
		{"empty namespace", `call(namespace="", function="ping") help(namespace='')`, `call(namespace="shop", function="ping") help(namespace='shop')`},
		{"null namespace", `call(namespace=null, function="ping") help(namespace=None)`, `call(namespace="shop", function="ping") help(namespace="shop")`},
		{"call of nothing", `call() call(kwargs={}) call(function=null)`, `call() call(kwargs={}) call(function=null)`},
		{"a name to be filled in", `call(function=<name>) call(function="...")`, `call(namespace="shop", function=<name>) call(namespace="shop", function="...")`},
		{"positional", `call("orders", "create") help("orders") help('orders', 'create') skill("orders", "x")`, `call("shop.orders", "create") help("shop.orders") help('shop.orders', 'create') skill("shop.orders", "x")`},
		{"positional name", `call("ping") skill('x') call("create", kwargs={})`, `call("shop", "ping") skill('shop', 'x') call("shop", "create", kwargs={})`},
		{"positional with keyword", `call("orders", function="get") skill("orders", skillname="x")`, `call("shop.orders", function="get") skill("shop.orders", skillname="x")`},
		{"positional path", `call("orders.create")`, `call("shop.orders.create")`},
		{"positional root", `help("")`, `help("shop")`},
		{"members of a map", `call({"namespace": "orders", "function": "get"}) skill({"skillname": "x"}) help({})`, `call({"namespace": "shop.orders", "function": "get"}) skill({"namespace": "shop", "skillname": "x"}) help({"namespace": "shop"})`},
		{"stand-ins", `help(namespace="...") help(namespace="<ns>") help(namespace="{{ns}}") help(namespace={{ns}}) help(namespace=ns) help(namespace="…")`, ""},
		{"forms", `help(namespace), help(namespace, function), call(...), skill(…)`, ""},
		{"no invocations", `call (namespace), recall(namespace="orders"), x.help(), call(the customer), callback(), Help()`, ""},
		{"no label", `help(namespace="order-mgmt") help(namespace=".") help(namespace="a..b") help(namespace=" orders")`, ""},
		{"a part that is no argument", `call(namespace="orders", function="get", kwargs={"id": items[0].id})`, `call(namespace="shop.orders", function="get", kwargs={"id": items[0].id})`},
		{"such a part and no namespace", `call(function="get", kwargs={"id": items[0].id}) call(function="get", kwargs=f(1), namespace="orders")`, `call(namespace="shop", function="get", kwargs={"id": items[0].id}) call(function="get", kwargs=f(1), namespace="orders")`},
		{"no end", `call(function="get", kwargs={`, ""},
		{"within a text", `call(namespace="a", function="f", kwargs={"note": "help(namespace='b')"})`, `call(namespace="shop.a", function="f", kwargs={"note": "help(namespace='b')"})`},
		{"one in another", `call(namespace="a", function=help(namespace="b"))`, `call(namespace="shop.a", function=help(namespace="shop.b"))`},
		{"a namespace of that name", `help(namespace="shop")`, `help(namespace="shop.shop")`},

		{"function and namespace", "No function `ship` in namespace `orders`.", "No function `ship` in namespace `shop.orders`."},
		{"unknown namespace", "**Error:** No namespace `nope`. Use `help()` to see available namespaces.", "**Error:** No namespace `shop.nope`. Use `help(namespace=\"shop\")` to see available namespaces."},
		{"the root", "No skill `x` in the root namespace.", "No skill `x` in namespace `shop`."},
		{"suggested namespace", "No namespace `ordrs`. Did you mean `orders` or `orders.retail`?", "No namespace `shop.ordrs`. Did you mean `shop.orders` or `shop.orders.retail`?"},
		{"suggested function", "No function `crate` in namespace `orders`. Did you mean `create`, `create` in namespace `crm` or `create` without a namespace?", "No function `crate` in namespace `shop.orders`. Did you mean `create`, `create` in namespace `shop.crm` or `create` in namespace `shop`?"},
		{"suggested spelling", "Invalid namespace `shop-orders`: labels. Did you mean `shop_orders`?", "Invalid namespace `shop-orders`: labels. Did you mean `shop.shop_orders`?"},
		{"dotted suggestion", "Unknown function. Use `help()`. Did you mean `orders.retail`?", "Unknown function. Use `help(namespace=\"shop\")`. Did you mean `shop.orders.retail`?"},
		{"arguments alone", "Use `namespace=\"orders\", function=\"create\"`.", "Use `namespace=\"shop.orders\", function=\"create\"`."},
		{"arguments alone in an error", "Invalid function name `orders.create`. Use `namespace=\"orders\", function=\"create\"`.", "Invalid function name `orders.create`. Use `namespace=\"shop.orders\", function=\"create\"`."},
		{"search", "No function in `orders` fits.", "No function in `shop.orders` fits."},
		{"a namespace of something else", "Restart the pods in namespace `prod`.", ""},
		{"a gate notice", "**Gated:** Response exceeds size limit (4821 orders, ~48,000 characters).\n\n- Pass `sizelimit=50000` to allow the full response through", ""},
		{"names", "If `inventory.check` is unavailable, use `orders.create` or the function `get`.", ""},
		{"headings", "# orders\n\n## orders.create\n", ""},

		{"list of skills", "# Skills in orders\n\n- **orders** — About.\n\n## Namespaces with skills\n\n- **orders.retail** — 2 skills.", "# Skills in shop.orders\n\n- **orders** — About.\n\n## Namespaces with skills\n\n- **shop.orders.retail** — 2 skills."},
		{"list of the root's skills", "# Skills\n\n## Namespaces with skills\n\n- **a.b** — 1 skill.", "# Skills\n\n## Namespaces with skills\n\n- **shop.a.b** — 1 skill."},
		{"found", "# Functions that fit, best first\n\n- **ping** — Ping.\n- **a.b** — B.", "# Functions that fit, best first\n\n- **shop.ping** — Ping.\n- **shop.a.b** — B."},
	} {
		t.Run("R137 "+tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.text
			}
			if got := (cashtext.Mount{To: "shop"}).Text(tt.text); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestTextBelow holds what a mount of a part of a server changes.
func TestTextBelow(t *testing.T) {
	m := cashtext.Mount{From: "Order_Mgmt.eu", To: "a.b"}
	for _, tt := range []struct{ name, text, want string }{
		{"itself", `help(namespace="ordermgmt.EU")`, `help(namespace="a.b")`},
		{"below", `help(namespace="order_mgmt.eu.Re_tail.x")`, `help(namespace="a.b.Re_tail.x")`},
		{"beside", `help(namespace="ordermgmt.europe") help(namespace="ordermgmt") help(namespace="crm")`, ""},
		{"root", `help() skill() call(function="ping") call(namespace="", function="ping") help(namespace=null)`, ""},
		{"a skill that may be anywhere", `skill(skillname="x")`, `skill(namespace="a.b", skillname="x")`},
		{"sentence", "No function `f` in namespace `ordermgmt.eu.x`. Did you mean `f` in namespace `crm` or `f` without a namespace?", "No function `f` in namespace `a.b.x`. Did you mean `f` in namespace `crm` or `f` without a namespace?"},
		{"the root in words", "No function `f` in the root namespace.", ""},
		{"list", "# Skills in order_mgmt.eu\n\n## Namespaces with skills\n\n- **ordermgmt.eu.x** — 1 skill.\n- **crm** — 1 skill.", "# Skills in a.b\n\n## Namespaces with skills\n\n- **a.b.x** — 1 skill.\n- **crm** — 1 skill."},
	} {
		t.Run("R137 "+tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.text
			}
			if got := m.Text(tt.text); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestMountOfNothing holds which mounts leave every text alone.
func TestMountOfNothing(t *testing.T) {
	const text = "# Skills in orders\n`help()` help(namespace=\"orders\") No function `f` in namespace `orders`. Did you mean `f` without a namespace?"
	for _, m := range []cashtext.Mount{{}, {From: "crm", To: "shop"}, {From: "a-b", To: "shop"}, {From: "orders", To: "orders"}} {
		if got := m.Text(text); got != text {
			t.Errorf("R137 %+v: %s", m, got)
		}
	}
	if got := (cashtext.Mount{From: "orders"}).Text(`help(namespace="orders.retail") help(namespace="orders")`); got != `help(namespace="retail") help(namespace="")` {
		t.Errorf("R137: a namespace that becomes the root: %s", got)
	}
}

func TestHelpTitle(t *testing.T) {
	m := cashtext.Mount{To: "shop"}
	for _, tt := range []struct{ text, path, want string }{
		{"# orders\n", "orders", "# shop.orders\n"},
		{"# Order_Mgmt.Create\n", "ordermgmt.create", "# shop.Order_Mgmt.Create\n"},
		{"\n# `orders`\n\n# orders", "orders", "\n# `shop.orders`\n\n# orders"},
		{"# Namespace: orders — what is in it", "orders", "# Namespace: shop.orders — what is in it"},
		{"# ping\n", "ping", "# shop.ping\n"},
		{"# Skills in orders\n", "", "# Skills in shop.orders\n"},
		{"# orders\n", "", ""},
		{"# create\n", "orders.create", ""},
		{"## orders\n", "orders", ""},
		{"# orders-x\n", "orders.x", ""},
		{"# Create orders\n", "orders", ""},
		{"# Available Namespaces\n", "", ""},
		{"Text.\n\n# orders", "orders", ""},
	} {
		if tt.want == "" {
			tt.want = tt.text
		}
		if got := m.Help(tt.text, tt.path); got != tt.want {
			t.Errorf("R137 %q of %q: got %q, want %q", tt.text, tt.path, got, tt.want)
		}
	}
	got := m.Help("# orders.create\n\nFirst `help(namespace=\"orders\")`.", "orders.create")
	if want := "# shop.orders.create\n\nFirst `help(namespace=\"shop.orders\")`."; got != want {
		t.Errorf("R137: got %q", got)
	}
}

// TestHostileTexts holds that texts built to be slow are done with; a quadratic
// step would take hours.
func TestHostileTexts(t *testing.T) {
	m := cashtext.Mount{To: "a_long_label"}
	const size = 10 << 20
	for _, unit := range []string{
		"(", "call(", "call(a=1,", "call('", "call(“", `call(\"`, "call(#", "help({", "call(a={", "help(namespace='a", "skill(name=f(",
		"call(function='a',[", "call(a=<", "call({{", "`", "namespace `", "`a` functions ", "Did you mean `a.b` ", "no namespace `x`. Did you mean ",
		"# Skills\n", "- **a**\n", "in the root namespace functions`", "help()", "\n", "\\\"", "“",
	} {
		t.Run(fmt.Sprintf("%.20q", unit), func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit)/4)
			if got := m.Text(text); len(got) < len(text) {
				t.Errorf("%d bytes became %d", len(text), len(got))
			}
		})
	}
}
