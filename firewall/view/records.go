package view

import (
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// records shows records of a table, together with the names of the columns.
func (l *look) records(t *table) (*Page, error) {
	header, at := t.record(0)
	pick, err := l.pick(header)
	if err != nil {
		return nil, err
	}
	head := fieldsJSON(pickFields(header, pick))
	list := l.list('[')
	if list.room -= len(`{"columns":,"rows":}`) + rawCost(head); list.room < l.room()/2 {
		head = abridge(head, l.room()/2)
		list.room = l.room()/2 - len(`{"columns":,"rows":}`) - 2
		list.note = `the header is abridged: {"type":"lines","start":0,"end":1} shows it`
	}
	note := list.note
	for at < len(t.data) {
		if list.count%4096 == 0 && l.ctx.Err() != nil {
			return nil, l.ctx.Err()
		}
		begin := t.blank(at)
		if begin == len(t.data) {
			break
		}
		if !list.take() {
			at = t.skip(begin)
			continue
		}
		var record [][]byte
		record, at = t.record(begin)
		list.add(nil, fieldsJSON(pickFields(record, pick)), t.data[begin:at])
	}
	p, err := list.page(']', "rows", "")
	if err != nil {
		return nil, err
	}
	if p.Note == "" {
		p.Note = note
	}
	p.Data = slices.Concat([]byte(`{"columns":`), head, []byte(`,"rows":`), p.Data, []byte{'}'})
	return p, nil
}

// pick returns the indexes of the requested columns, nil for all.
func (l *look) pick(header [][]byte) (pick []int, err error) {
	for _, name := range l.columns {
		i := slices.IndexFunc(header, func(field []byte) bool { return string(field) == name })
		if i < 0 {
			return nil, selectorErrorf(`the table has not all of these columns: rows without columns shows all, and {"type":"lines","start":0,"end":1} the header`)
		}
		pick = append(pick, i)
	}
	return pick, nil
}

// pickFields returns the fields of a record at the indexes in pick. The record may be too short.
func pickFields(record [][]byte, pick []int) [][]byte {
	if pick == nil {
		return record
	}
	fields := make([][]byte, len(pick))
	for i, n := range pick {
		if n < len(record) {
			fields[i] = record[n]
		}
	}
	return fields
}

// fieldsJSON writes a record as an array of strings.
func fieldsJSON(fields [][]byte) []byte {
	b := []byte{'['}
	for i, field := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = clean.AppendQuoted(b, clean.Text(string(field)))
	}
	return append(b, ']')
}
