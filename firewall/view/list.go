package view

import "fmt"

// A list collects the items of an array or object that a page shows.
type list struct {
	look  *look
	start int // the first item to show
	end   int // the item after the last to show, or missing
	room  int
	buf   []byte
	count int // items so far, shown or not
	shown int
	full  bool
	note  string
	hint  string // how to see a part of an item, after a semicolon
}

// deeper is the hint for JSON.
const deeper = "; a longer path shows a part of it"

// list returns an empty list that begins with the bracket open.
func (l *look) list(open byte) *list {
	return &list{look: l, start: max(l.start, 0), end: l.end, room: l.room() - 2, buf: []byte{open}}
}

// take reports whether to show the next item with add. It counts the item otherwise.
func (s *list) take() bool {
	if !s.full && s.count >= s.start && (s.end == missing || s.count < s.end) {
		return true
	}
	s.count++
	return false
}

// add shows the item that take has accepted, or marks the page as full. An item that does not fit on a page of its own
// is abridged.
//
//   - name is the quoted key of a member, nil in an array
//   - origin is the part of the artifact that holds the item
func (s *list) add(name, item, origin []byte) {
	before := len(s.buf)
	if s.shown > 0 {
		s.buf = append(s.buf, ',')
	}
	if name != nil {
		s.buf = append(append(s.buf, abridgedString(name, 100)...), ':')
	}
	room := s.room - rawCost(s.buf[before:])
	var ok bool
	if s.buf, ok = appendClean(s.buf, item, room); !ok {
		if s.full = true; s.shown > 0 {
			s.buf = s.buf[:before]
			s.count++
			return
		}
		s.buf = append(s.buf, abridge(item, room)...)
		s.note = s.cut(origin)
	}
	s.room -= rawCost(s.buf[before:])
	s.shown++
	s.count++
}

// cut returns the note that says how to see all of an abridged item.
func (s *list) cut(origin []byte) string {
	return fmt.Sprintf(`item %d is abridged: {"type":"head","start":%d,"chars":%d} shows it as it is spelled%s`,
		s.start, characters(s.look.data[:s.look.offset(origin)]), max(characters(origin), 1), s.hint)
}

// offset returns where part begins in the data. Part is a slice of the data, so both have the same end of capacity.
func (l *look) offset(part []byte) int { return cap(l.data) - cap(part) }

// page closes the list. What is the noun for its items, such as rows.
func (s *list) page(closing byte, what, where string) (*Page, error) {
	if s.start > 0 && s.start >= s.count {
		return nil, selectorErrorf("start is beyond the end: there are %d %s, and the first is 0", s.count, what)
	}
	p := &Page{
		View: fmt.Sprintf("%s %d-%d of %d%s", what, s.start, s.start+s.shown, s.count, where),
		Data: append(s.buf, closing),
		Note: s.note,
	}
	if end := s.start + s.shown; end < s.count {
		p.Next = s.look.after(end)
	}
	return p, nil
}
