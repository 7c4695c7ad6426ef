package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestDocumentedTestsExist: a test that a page names as a proof is there; TestX… stands for all whose names begin so.
func TestDocumentedTestsExist(t *testing.T) {
	var code strings.Builder
	for _, files := range goFiles(t) {
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
	}
	for page, least := range map[string]int{"docs/consent-cases.md": 50, "docs/security.md": 25} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile("`(Test\\w+)(…?)`").FindAllStringSubmatch(string(text), -1)
		if len(names) < least {
			t.Errorf("%s: only %d tests are named", page, len(names))
		}
		for _, m := range names {
			end := "("
			if m[2] != "" {
				end = ""
			}
			if !strings.Contains(code.String(), "\nfunc "+m[1]+end) {
				t.Errorf("%s: no test is called %s%s", page, m[1], m[2])
			}
		}
	}
}

// TestDocumentedLinks: what a page links to in this repository is there, sections included.
func TestDocumentedLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range append(pages, top...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			file, section, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, ":") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if section != "" && !slices.Contains(sections(t, target), section) {
				t.Errorf("%s: %s has no section %q", page, target, section)
			}
		}
	}
}

// sections are the names of a page's headings as they stand in addresses.
func sections(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return names
}
