package upstream_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
)

// The texts of a server whose namespaces stand apart, under labels that others
// have changed, speak of all of them by their new paths. What is in its root is
// lost if that is mounted nowhere, but for its skills.
func TestR137NamespacesBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var list []*publisher
		for _, name := range []string{"Shop", "Depot"} {
			s := newSpeaker()
			s.pages = map[string]string{
				"help /":             "# Available Namespaces\n\n- **orders** — Orders.\n- **stock** — Stock.\n",
				"help orders/":       "# orders\n\n## Functions\n\n- **create** — Create.\n",
				"help stock/":        "# stock\n\n## Functions\n\n- **check** — Check.\n",
				"help orders/create": "# orders.create\n\nCreate, after `call(namespace=\"stock\", function=\"check\")`.\n",
				"skill /":            "# Skills\n\n- **with-check** — With a check.\n",
				"skill /with-check":  "First `call(namespace=\"stock\", function=\"check\")`, then `call(namespace=\"orders\", function=\"create\")`.",
			}
			p := publish(strings.ToLower(name)+".example", name, "any")
			server := s.server()
			p.mcp = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
			p.suggest("orders", "stock")
			list = append(list, p)
		}
		f := discover(t, newNetwork(list...), from(list...)...)
		defer f.stop()
		for name, other := range map[string]string{"shop": "depot", "depot": "shop"} {
			page, err := f.srv.Help(t.Context(), &cash.HelpRequest{Namespace: name + "orders", Function: "create"})
			if err != nil || !strings.Contains(page, `namespace="`+name+`stock"`) {
				t.Errorf("the page is %s, %v", page, err)
			}
			text, err := f.srv.Skill(t.Context(), &cash.SkillRequest{Namespace: name + "orders", Name: "with-check"})
			if err != nil || !strings.Contains(text, `namespace="`+name+`stock"`) || !strings.Contains(text, `namespace="`+name+`orders"`) || strings.Contains(text, other) {
				t.Errorf("R123: the skill reads %s, %v", text, err)
			}
		}
		if text, err := f.srv.Skill(t.Context(), &cash.SkillRequest{Name: "withcheck"}); err == nil {
			t.Errorf("R123: the name of two skills is answered with %s", text)
		}
	})
}
