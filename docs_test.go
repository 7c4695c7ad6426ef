package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedTestsExist: a test that docs/consent-cases.md names as a proof is there.
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
	page, err := os.ReadFile("docs/consent-cases.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 50 {
		t.Errorf("only %d tests are named", len(names))
	}
	for _, m := range names {
		if !strings.Contains(code.String(), "\nfunc "+m[1]+"(") {
			t.Errorf("no test is called %s", m[1])
		}
	}
}
