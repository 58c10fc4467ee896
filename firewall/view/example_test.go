package view_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

func ExampleLook() {
	issues := []byte(`{"total":3,"items":[{"id":9007199254740993,"title":"One"},{"id":2,"title":"Two"},{"id":3,"title":"Three"}]}`)
	selector := json.RawMessage(`{"type":"rows","start":0,"end":2,"columns":["id"]}`)
	for selector != nil {
		page, err := view.Look(context.Background(), issues, "application/json", selector, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", page.View, page.Data)
		selector = page.Next
	}
	_, err := view.Look(context.Background(), issues, "application/json", json.RawMessage(`{"type":"rows","start":7}`), nil)
	fmt.Println(err)
	// Output:
	// rows 0-2 of 3 of $.items: [{"id":9007199254740993},{"id":2}]
	// rows 2-3 of 3 of $.items: [{"id":3}]
	// start is beyond the end: there are 3 rows, and the first is 0
}

func ExampleSurvey_Outline() {
	outline, _ := view.NewSurvey([]byte(`{"total":2,"items":[{"id":1,"title":"One"},{"id":2,"title":null}]}`), "").Outline(400)
	fmt.Println(outline.Text)
	// Output:
	// object with 2 keys: total, items
	// $.total: 2
	// $.items: array of 2 objects: id number, title string or null
	// $.items[0]: {"id":1,"title":"One"}
}

func ExampleSurvey_Suggest() {
	for _, v := range view.NewSurvey([]byte("id,name\n1,Ann\n2,Bob\n"), "text/csv").Suggest() {
		fmt.Printf("%s: %s\n", v.Label, v.Selector)
	}
	// Output:
	// first rows: {"type":"rows","start":0,"end":20}
	// first lines of 3: {"type":"lines","start":0,"end":50}
	// end: {"type":"tail"}
}
