package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxLine bounds a line of a file, in bytes.
const maxLine = 64 << 20

const (
	toolsFile   = "tools.jsonl"
	queriesFile = "queries.jsonl"
)

// A source is the location of a set.
type source struct {
	name, tools, queries string
}

// sourcesIn returns the sets in the folders and their direct subfolders, in order of names.
func sourcesIn(dirs []string) ([]source, error) {
	var list []source
	for _, dir := range dirs {
		if src, ok := sourceIn(dir); ok {
			list = append(list, src)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		before := len(list)
		for _, e := range entries {
			if src, ok := sourceIn(filepath.Join(dir, e.Name())); ok {
				list = append(list, src)
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("%s: no folder with %s and %s", dir, toolsFile, queriesFile)
		}
	}
	return list, nil
}

func sourceIn(dir string) (source, bool) {
	src := source{filepath.Base(dir), filepath.Join(dir, toolsFile), filepath.Join(dir, queriesFile)}
	for _, file := range []string{src.tools, src.queries} {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			return source{}, false
		}
	}
	return src, true
}

// A tool is a line of a tools file.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// A query is a line of a queries file.
type query struct {
	Query string   `json:"query"`
	Gold  []string `json:"gold"`
}

// A set is one set of tools and queries.
type set struct {
	name       string
	tools      []tool // without duplicates
	queries    []query
	duplicates int // tools left out
}

func (src source) read() (*set, error) {
	s := &set{name: src.name}
	seen := make(map[string]bool)
	err := readLines(src.tools, func(t tool) error {
		switch {
		case t.Name == "":
			return errors.New("the tool has no name")
		case seen[t.Name]:
			s.duplicates++
			return nil
		}
		seen[t.Name] = true
		s.tools = append(s.tools, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = readLines(src.queries, func(q query) error {
		if q.Query == "" || len(q.Gold) == 0 {
			return errors.New("the query has no text, or no gold tools")
		}
		s.queries = append(s.queries, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.queries) == 0 {
		return nil, fmt.Errorf("%s: no queries", src.queries)
	}
	return s, nil
}

// readLines calls take with each line of a file that is not blank. Errors name file and line.
func readLines[T any](file string, take func(T) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff"))) // a byte order mark
		if len(line) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if err := take(v); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line has more than %d MiB", file, n, maxLine>>20)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", file, n, err)
	}
	return nil
}
