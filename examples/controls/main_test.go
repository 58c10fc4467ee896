package main

import (
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestGuide(t *testing.T) { new(guidetest.Guide).Test(t) }
