// Package browser tests the page of package cash/explore in Chromium. It has tests alone, in a module of its own,
// because the driver of the browser must not reach those who use the library.
//
//	CASH_NPM_DIR=... go -C internal/browser test ./...
//
// Chromium is that of the system. CASH_NPM_DIR is a folder in which the packages of .ci/package.json are installed:
// axe-core, which checks what a screen reader meets. CASH_SCREENSHOTS is a folder for the pictures of all journeys; by
// default, a temporary one, whose path is printed.
//
// # Limits
//
// The bounds of times are five times those that two idle cores keep, because machines differ. The fastest of several
// tries has to keep them. The figures are printed.
package browser
