package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestDescriptions holds what a description says of the commands.
func TestDescriptions(t *testing.T) {
	c := inMemory(t, facade.NewServer(newShop(), nil), nil)
	want := "Create and manage customer orders. Cmd help finds commands and tells params.\nCommands:\n" +
		"boom(): Panic.\n" +
		"cancel(order_id) [destructive]: Cancel an order.\n" +
		"create(customer_id, items: [{product_id, quantity}], notes?): Create an order for a customer.\n" +
		"get(order_id): Get an order.\n" +
		"list(limit?): List the orders there are.\n" +
		"retail.refund(order_id): Pay money back."
	if got := toolNamed(c, "OrdersExecute").Description; got != want {
		t.Errorf("description %s, want %s", got, want)
	}
}

// of returns a registry of so many domains, each with the same functions, which do nothing.
func of(domains int, about string, names, descriptions []string) *registry.Registry {
	reg := registry.New(nil)
	for d := range domains {
		for i, name := range names {
			reg.Namespace(fmt.Sprintf("domain%d", d), about).Add(registry.Func(name, descriptions[i%len(descriptions)], func(context.Context, orderRef) (string, error) { return "", nil }))
		}
	}
	return reg
}

func descriptionOf(t *testing.T, reg *registry.Registry) string {
	t.Helper()
	return inMemory(t, facade.NewServer(reg, nil), nil).Tools()[0].Description
}

// TestDescriptionsInRoom holds that room goes to names first, then to sentences, then to parameters; that sentences are
// cut to the same length; and that the domains share the room.
func TestDescriptionsInRoom(t *testing.T) {
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("command_%03d", i))
		}
		return list
	}
	long := "Do this and that with all of the things that are there, one after the other, again and again. More."
	short := "Do it. It cannot be undone."
	for _, tt := range []struct {
		domains, commands       int
		descriptions            []string
		listed, whole, cut, sig int
	}{
		{1, 3, []string{long}, 3, 3, 0, 3},
		{1, 16, []string{long}, 16, 16, 0, 16},
		{1, 25, []string{long}, 25, 0, 25, 3},
		{1, 25, []string{long, short}, 25, 25, 0, 25},
		{1, 100, []string{long}, 100, 7, 0, 7},
		{1, 100, []string{short}, 100, 92, 0, 0},
		{1, 500, []string{short}, 160, 0, 0, 0},
		{8, 3, []string{long}, 3, 3, 0, 3},
		{8, 12, []string{long}, 12, 0, 12, 6},
		{8, 20, []string{long}, 20, 2, 0, 3},
		{100, 10, []string{long}, 10, 0, 0, 0},
		{1, 3, []string{""}, 3, 0, 0, 3},
		{1, 3, []string{"# \x1b[31m"}, 3, 0, 0, 3},
	} {
		got := descriptionOf(t, of(tt.domains, "A domain.", names(tt.commands), tt.descriptions))
		listed := strings.Count(got, "\ncommand_")
		whole := strings.Count(got, ": Do it.\n") + strings.Count(got, "again and again.") + strings.Count(got[len(got)-8:], "Do it.")
		if cut, sig := strings.Count(got, "…"), strings.Count(got, "(order_id)"); listed != tt.listed || whole != tt.whole || cut != tt.cut || sig != tt.sig {
			t.Errorf("%d domains of %d commands: %d names, %d sentences, %d cut, %d with parameters, want %+v:\n%.600s", tt.domains, tt.commands, listed, whole, cut, sig, tt, got)
		}
		if more := fmt.Sprintf("\nand %d more", tt.commands-tt.listed); strings.HasSuffix(got, more) != (tt.listed < tt.commands) || len(got) > 2000 {
			t.Errorf("%d bytes: %.600s", len(got), got)
		}
	}
}

// TestDescriptionBegins holds that the beginning of a description says what the domain is for and that there is help,
// however long the rest is. A client may cut it.
func TestDescriptionBegins(t *testing.T) {
	help := "Cmd help finds commands and tells params."
	for about, want := range map[string]string{
		"":                                 help + "\nCommands:\nf",
		"Orders":                           "Orders " + help + "\nCommands:\nf",
		"Orders, e.g. of shops. And more.": "Orders, e.g. of shops. " + help + " And more.\nCommands:\nf",
		"注文。 もっと。":                         "注文。 " + help + " もっと。\nCommands:\nf",
		strings.Repeat("word ", 100):       help + " word word",
		"Note. Is what it says. More.":     "Note. Is what it says. " + help + " More.",
	} {
		if got := descriptionOf(t, of(1, about, []string{"f"}, []string{"F."})); !strings.HasPrefix(got, want) {
			t.Errorf("%q begins with %q, want %q", about, got, want)
		}
	}
}

// TestDescriptionBounds holds that a description has its bounds, whatever is in it.
func TestDescriptionBounds(t *testing.T) {
	for _, n := range []int{1, 5, 20, 60, 100, 1000} {
		reg := registry.New(nil)
		for i := range n {
			params := fmt.Sprintf(`{"type":"object","properties":{"some_parameter":{},"\u001b[31m hostile\u202e <%s>":{},"third":{}},"required":["third"]}`, strings.Repeat("x", i%200))
			f, err := registry.RawFunc(fmt.Sprintf("command_%d", i), "", json.RawMessage(params), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }, registry.Destructive(i%10 == 3))
			if err != nil {
				t.Fatal(err)
			}
			reg.Namespace("n", "What\x1b[2J it\nis.\u200b "+strings.Repeat("Long. ", 200)).Add(f)
		}
		text := descriptionOf(t, reg)
		if len(text) > 2000 || n >= 60 && len(text) < 1900 {
			t.Errorf("%d commands: %d bytes", n, len(text))
		}
		if strings.ContainsAny(text, "\x1b\u200b\u202e") || !strings.HasPrefix(text, "What it is. Cmd help finds commands and tells params. Long.") {
			t.Errorf("%d commands: %q", n, text)
		}
		if more := strings.HasSuffix(text, " more"); more != (n > 100) || n <= 5 && strings.Count(text, ", third)") != n {
			t.Errorf("%d commands: %s", n, text)
		}
	}
	long := make([]string, 200)
	for i := range long {
		long[i] = fmt.Sprintf("%s_%d", strings.Repeat("long", 15), i)
	}
	if got := descriptionOf(t, of(1, "", long, []string{"F."})); len(got) > 2000 || !strings.Contains(got, " more") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
