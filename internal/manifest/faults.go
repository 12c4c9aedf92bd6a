package manifest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// syntaxError is the error for a text that is not YAML or not JSON.
type syntaxError struct {
	line      int
	what, fix string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

var yamlMessage = pattern.Of(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// explainYAML returns an error that says how to fix the text, and the line to look at. The library reports the line where
// the surrounding block starts, or no line. budget is the number of bytes that may be parsed again to find a better line.
func explainYAML(text []byte, err error, budget *int) *syntaxError {
	message := yamlMessage.FindStringSubmatch(err.Error())
	reported, _ := strconv.Atoi(message[1])
	line := locate(text, max(reported, 1), err.Error(), budget)
	if line > 1 && isConflict(rowOf(text, line-1)) {
		line-- // a marker alone is parsed as a string, so the parser fails at the line after it
	}
	row := bytes.TrimRight(rowOf(text, line), "\r\n")
	what, fix := advise(message[2], row)
	return &syntaxError{line: line, what: what, fix: fix}
}

// locate finds the longest beginning of the text that can be parsed, and returns the line after it. The text before that
// line is valid. So the mistake is in that line, or in a quote or bracket that the line opens.
func locate(text []byte, reported int, message string, budget *int) int {
	ends := lineEnds(text)
	fails := func(n int) (string, bool) {
		*budget -= ends[n-1]
		_, err := parseNodes(text[:ends[n-1]])
		if err == nil {
			return "", false
		}
		return err.Error(), true
	}
	top := min(reported+8, len(ends))
	for top < len(ends) && *budget > 0 {
		if got, failed := fails(top); failed && got == message {
			break
		}
		top = min(2*top, len(ends))
	}
	for n := top; n > 0; n-- {
		if *budget <= 0 {
			return min(reported, len(ends))
		}
		if _, failed := fails(n); !failed {
			return min(n+1, len(ends))
		}
	}
	return 1
}

// lineEnds returns the offset after each line.
func lineEnds(text []byte) []int {
	ends := make([]int, 0, 64)
	for at := 0; at < len(text); {
		at = lineEnd(text, at)
		ends = append(ends, at)
	}
	if len(ends) == 0 {
		ends = append(ends, 0)
	}
	return ends
}

func rowOf(text []byte, line int) []byte {
	at := 0
	for ; line > 1; line-- {
		at = lineEnd(text, at)
	}
	return text[at:lineEnd(text, at)]
}

// advice explains messages of the library and says how to fix the text.
var advice = []struct{ message, what, fix string }{
	{"mapping values are not allowed", "a colon at a wrong place", "quote the value, or indent the line like the other lines of its block"},
	{"did not find expected key", "this line does not match the lines above", "check its indentation and its quotes"},
	{"did not find expected '-' indicator", "this line does not match the list above", "check its indentation"},
	{"could not find expected ':'", "the line is not a key with a value", "write key: value, with a space after the colon"},
	{"found unexpected end of stream", "a quote that is opened here is not closed", "close it"},
	{"found unexpected document indicator", "a quote that is opened here is not closed", "close it"},
	{"did not find expected ',' or", "a bracket that is opened here is not closed properly", "close it, put commas between its items, or quote the value"},
	{"did not find expected node content", "a value is missing or starts with a reserved character", "quote the value"},
	{"block sequence entries are not allowed", "a list cannot start here", "put each item on a line of its own, below the key"},
	{"control characters are not allowed", "an invisible control character", "remove it"},
	{"unknown anchor", "an alias without an anchor in this document", "add the anchor, or quote the value if * is a normal character"},
	{"exceeded max depth", "nested too deep", "flatten it"},
	{"found unknown escape character", "an unknown escape in double quotes", "use single quotes, or write \\\\ for a backslash"},
}

// isConflict reports whether git wrote the line as a separator of a merge conflict.
func isConflict(row []byte) bool {
	return bytes.HasPrefix(row, []byte("<<<<<<<")) || bytes.HasPrefix(row, []byte("=======")) || bytes.HasPrefix(row, []byte(">>>>>>>"))
}

// quotedInMessage matches the part of a library's message that repeats the text.
var quotedInMessage = pattern.Of("(?s)['\"`].*['\"`]")

func advise(message string, row []byte) (what, fix string) {
	trimmed := bytes.TrimLeft(row, " ")
	switch {
	case isConflict(row):
		return "an unresolved merge conflict", "keep one side and remove the markers"
	case bytes.HasPrefix(trimmed, []byte("\t")):
		return "a tab in the indentation, which YAML does not allow", "use spaces"
	case bytes.Contains(row, []byte("{{")):
		return "a template, not YAML", "commit the rendered file, or quote the value"
	case strings.HasPrefix(message, "found character that cannot start any token"):
		return "a value starts with a reserved character", "quote the value"
	}
	for _, a := range advice {
		if strings.HasPrefix(message, a.message) {
			return "not valid YAML: " + a.what, a.fix
		}
	}
	return "not valid YAML: " + quotedInMessage.ReplaceAllString(message, "…"), ""
}
