package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// hostileText contains texts that strangers can write in many places. File names may contain all of them except the slash.
var hostileText = []string{
	"\x1b[2J\x1b]0;x\a", "a\n::error file=x::y", "a\r\n  ::set-output name=x::y", "\u202egnp\u2066", "z\u200bw\ufeff\u00ad", "\U000e0041", "\u009b31m\x7f",
	"##[error]x", "##vso[task.setvariable variable=x]y", "e" + strings.Repeat("\u0301", 30), "\xff\xfe", "x; all is well, nothing to do",
}

// hostile fills a folder. `hostile DIR names` writes files with hostile names; a third word selects only the names that Git can store.
// `hostile DIR values` writes one valid manifest with hostile values.
func hostile(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	if args[1] == "variables" { // for names that a script cannot contain
		for i, text := range hostileText {
			ts.Setenv(fmt.Sprintf("EVIL%d", i), text)
		}
		return
	}
	var values string
	for i, text := range hostileText {
		if args[1] == "names" && (len(args) == 2 || utf8.ValidString(text)) {
			ts.Check(os.WriteFile(filepath.Join(dir, text+".yaml"), fmt.Appendf(nil, "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: w%d}\nspec: {resorce: {}}\n", i), 0o644))
			continue
		}
		if !utf8.ValidString(text) {
			continue
		}
		if args[1] == "values" { // other control characters are refused
			text = strings.Map(func(r rune) rune {
				if unicode.IsControl(r) && r != '\n' {
					return -1
				}
				return r
			}, text)
		}
		var quoted strings.Builder
		for _, r := range text {
			fmt.Fprintf(&quoted, "\\U%08x", r)
		}
		if args[1] == "wrong" {
			values += fmt.Sprintf("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: \"Net%s\"\nmetadata: {name: \"n%s\", namespace: \"%s\"}\nspec: {\"%s\": \"%s\"}\n---\n", quoted.String(), quoted.String(), quoted.String(), quoted.String(), quoted.String())
			values += fmt.Sprintf("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: m%d}\nspec: {resource: {networkRef: \"%s\", cidr: \"%s\", \"%s\": 1}}\n---\n", i, quoted.String(), quoted.String(), quoted.String())
			continue
		}
		values += fmt.Sprintf("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: n%d}\nspec: {resource: {description: \"x%s\"}}\n---\n", i, quoted.String())
	}
	if values != "" {
		name := args[1] + "\u202e.yaml"
		if args[0] != args[1] {
			name = args[1] + ".yaml" // a repository with the other name is refused
		}
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(values), 0o644))
	}
}

var unprintable = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{ad}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{e0000}-\x{e0fff}]|\x{301}{9}|(?m)^\s*::|##[a-z]*\[`)

// wantPrintable fails if the output of the last command contains a character that moves a cursor or is invisible, or a command to a CI system.
func wantPrintable(ts *testscript.TestScript, _ bool, _ []string) {
	for _, from := range []string{"stdout", "stderr"} {
		said := ts.ReadFile(from)
		if at := unprintable.FindStringIndex(said); at != nil {
			ts.Fatalf("%s holds %q: %q", from, said[at[0]:at[1]], said[max(0, at[0]-100):min(len(said), at[1]+50)])
		}
		if !utf8.ValidString(said) {
			ts.Fatalf("%s is not UTF-8", from)
		}
	}
}
