package main

import (
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
)

// bleveWay says how Bleve is configured: as mcpproxy-go does in its file internal/index/bleve.go.
const bleveWay = "Bleve is configured as mcpproxy-go has it: an index in a folder; names, servers and hashes as keywords, descriptions and " +
	"parameters by the standard analyzer, and all of them once more in one field that is not stored; a query is any of an exact name " +
	"(boosts 5 and 4), a prefix of a name (3), a part of a name if the query has an underscore (2.5), words in any field (1), and words " +
	"in the common field (1.5); the fields of the ten best are loaded and highlighted."

type bleveTool struct {
	ToolName       string `json:"tool_name"`
	FullToolName   string `json:"full_tool_name"`
	ServerName     string `json:"server_name"`
	Description    string `json:"description"`
	ParamsJSON     string `json:"params_json"`
	Hash           string `json:"hash"`
	Tags           string `json:"tags"`
	SearchableText string `json:"searchable_text"`
}

func bleveMapping() mapping.IndexMapping {
	tool := bleve.NewDocumentMapping()
	for name, analyzer := range map[string]string{
		"tool_name": keyword.Name, "full_tool_name": keyword.Name, "server_name": keyword.Name, "hash": keyword.Name,
		"description": standard.Name, "params_json": standard.Name, "tags": standard.Name, "searchable_text": standard.Name,
	} {
		field := bleve.NewTextFieldMapping()
		field.Analyzer = analyzer
		field.Index = name != "hash"
		field.Store = name != "searchable_text"
		tool.AddFieldMappingsAt(name, field)
	}
	m := bleve.NewIndexMapping()
	m.AddDocumentMapping("tool", tool)
	m.DefaultMapping = tool
	return m
}

// newBleve indexes tools in batches of one server.
func newBleve(dir string, tools []madeTool) (bleve.Index, error) {
	index, err := bleve.New(dir+"/index.bleve", bleveMapping())
	if err != nil {
		return nil, err
	}
	for start := 0; start < len(tools); start += perSpace {
		batch := index.NewBatch()
		for _, t := range tools[start:min(start+perSpace, len(tools))] {
			full := t.space + ":" + t.name
			if err := batch.Index(full, &bleveTool{ToolName: t.name, FullToolName: full, ServerName: t.space, Description: t.description,
				ParamsJSON: string(t.schema), Hash: t.name, SearchableText: t.name + " " + full + " " + t.description + " " + string(t.schema)}); err != nil {
				return nil, err
			}
		}
		if err := index.Batch(batch); err != nil {
			return nil, err
		}
	}
	return index, nil
}

func bleveSearch(index bleve.Index, text string, limit int) (int, error) {
	either := bleve.NewBooleanQuery()
	should := func(q interface {
		query.Query
		query.BoostableQuery
		query.FieldableQuery
	}, field string, boost float64) {
		if field != "" {
			q.SetField(field)
		}
		q.SetBoost(boost)
		either.AddShould(q)
	}
	should(bleve.NewTermQuery(text), "tool_name", 5)
	should(bleve.NewTermQuery(text), "full_tool_name", 4)
	should(bleve.NewPrefixQuery(text), "tool_name", 3)
	if strings.Contains(text, "_") {
		should(bleve.NewWildcardQuery("*"+text+"*"), "tool_name", 2.5)
	}
	should(bleve.NewMatchQuery(text), "", 1)
	should(bleve.NewMatchQuery(text), "searchable_text", 1.5)
	req := bleve.NewSearchRequest(either)
	req.Size = limit
	req.Fields = []string{"tool_name", "full_tool_name", "server_name", "description", "params_json", "hash"}
	req.Highlight = bleve.NewHighlight()
	res, err := index.Search(req)
	if err != nil {
		return 0, err
	}
	return len(res.Hits), nil
}
