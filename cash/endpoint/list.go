package endpoint

import "github.com/cash-mcp/go-sdk/internal/strictjson"

// A list is the answer to list_tools in the making. It never exceeds what clients read.
type list struct {
	most  int // bytes of the answer with its line end
	tools int
	buf   []byte
}

// The parts of the answer around its descriptors.
const (
	listHead = `{"type":"result","tools":[`
	listTail = `]}`
)

func newList(most int) *list { return &list{most: most, buf: []byte(listHead)} }

// add adds a descriptor. It reports false if there is no room for it.
func (l *list) add(d Descriptor) bool {
	data, comma := strictjson.MustMarshal(d), min(l.tools, 1)
	room := l.most - len(l.buf) - comma - len(listTail) - len("\n")
	if l.tools >= maxTools || len(data) > room || strictjson.CheckDepth(data, maxDepth-2) != nil {
		return false
	}
	l.tools++
	l.buf = append(append(l.buf, ","[:comma]...), data...)
	return true
}

func (l *list) document() []byte { return append(l.buf, listTail...) }
