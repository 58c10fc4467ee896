package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// kindTable is every kind as each face tells it to programs: what models read is
// the same text everywhere. The faces for which the kind itself is the code (cash,
// plain, facade and disclosure) have no column.
const kindTable = `
UNKNOWN_NAMESPACE  PATH_NOT_FOUND        usage
UNKNOWN_FUNCTION   HYDRATE_FAILED        usage
UNKNOWN_SKILL      HYDRATE_FAILED        usage
PATH_NOT_FOUND     PATH_NOT_FOUND        usage
INVALID_NAME       HYDRATE_FAILED        usage
PATH_INVALID       PATH_INVALID          usage
INVALID_ARGUMENTS  ARGS_INVALID          usage
FAILED             UPSTREAM_ERROR        pipeline
INTERNAL           UPSTREAM_ERROR        fatal
TIMEOUT            UPSTREAM_TIMEOUT      pipeline
CANCELED           UPSTREAM_UNAVAILABLE  pipeline
UNAVAILABLE        UPSTREAM_UNAVAILABLE  pipeline
DENIED             PERMISSION_DENIED     permission
RATE_LIMITED       RATE_LIMITED          pipeline
AUTH_FAILED        AUTH_FAILED           permission
SCHEMA_INVALID     SCHEMA_INVALID        fatal
`

// TestY2KindsByFace holds that an error of every kind is told by every face in
// the form of its specification, with what happened and the next step.
func TestY2KindsByFace(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(kindTable), "\n")
	kinds := registry.Kinds()
	if len(lines) != len(kinds) {
		t.Fatalf("the table has %d kinds; there are %d", len(lines), len(kinds))
	}
	var failing atomic.Value // the registry.Kind of the function's error
	const message, hint = `What happened, in "quotes" & <more>.`, "What to do next."
	reg := registry.New(nil)
	reg.Namespace("shop", "A shop.").Add(registry.Func("fail", "Fail.", func(context.Context, struct{}) (string, error) {
		return "", &registry.Error{Kind: failing.Load().(registry.Kind), Message: message, Hint: hint, Err: fmt.Errorf("a secret")}
	}))
	f, err := reg.Function(t.Context(), "shop", "fail")
	if err != nil {
		t.Fatal(err)
	}
	clients := make(map[string]*cashtest.Client)
	for name, newFace := range faces {
		clients[name] = cashtest.Connect(t, newFace(reg, serve.Options{}))
	}
	if _, err := clients["disclosure"].Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=shop-fail"}); err != nil {
		t.Fatal(err)
	}
	command := endpoint.New(reg, &endpoint.Options{Name: "shop"})

	for i, line := range lines {
		columns := strings.Fields(line)
		kind := kinds[i]
		if string(kind) != columns[0] {
			t.Fatalf("line %d of the table is about %s; want %s", i, columns[0], kind)
		}
		failing.Store(kind)
		text, told := quotedJSON(t, message+" "+hint), quotedJSON(t, message+" "+hint)
		where := ""
		if kind == registry.InvalidArguments { // two-stage disclosure says where the schema is
			where = `,"resource_uri":"resource:///tool_descriptions?tools=shop-fail"`
		}
		if kind == registry.Unavailable { // facades name what is (F10)
			told = quotedJSON(t, "`shop.fail` is unavailable. "+message+" "+hint)
		}
		for face, want := range map[string]struct {
			tool, args, text, meta string
		}{
			"cash":       {"call", `{"namespace":"shop","function":"fail"}`, "**Error:** " + message + " " + hint, columns[0]},
			"gateway":    {"tool_execute", fmt.Sprintf(`{"tool_id":%q}`, f.ID()), fmt.Sprintf(`{"error":%q,"message":%s,"path":"","retryable":%v}`, columns[1], text, retryable(columns[1])), ""},
			"disclosure": {"shop-fail", `{}`, fmt.Sprintf(`{"error":{"code":%q,"message":%s%s}}`, columns[0], text, where), ""},
			"facade":     {"ShopExecute", `{"cmd":"fail"}`, fmt.Sprintf(`{"ok":false,"cmd":"fail","error":%s}`, told), columns[0]},
			"plain":      {"shop-fail", `{}`, message + " " + hint, columns[0]},
		} {
			r := clients[face].Tool(want.tool, json.RawMessage(want.args))
			meta, _ := r.Raw.Meta[registry.MetaCode].(string)
			if !r.IsError || r.Text != want.text || meta != want.meta {
				t.Errorf("%s, %s: %v %q %q; want %q %q", kind, face, r.IsError, r.Text, meta, want.text, want.meta)
			}
		}
		document, exit := command.Answer(t.Context(), []byte(`{"action":"call_tool","tool":"shop.fail"}`))
		want := fmt.Sprintf(`{"type":"error","error":{"name":"shop","category":%q,"message":%s}}`, columns[2], text)
		if exit != 1 || strings.TrimSpace(string(document)) != want {
			t.Errorf("%s, endpoint: status %d, %s; want %s", kind, exit, document, want)
		}
	}
}

func retryable(code string) bool {
	return code == "UPSTREAM_TIMEOUT" || code == "UPSTREAM_UNAVAILABLE" || code == "RATE_LIMITED"
}

func quotedJSON(t *testing.T, text string) string {
	t.Helper()
	data, err := strictjson.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
