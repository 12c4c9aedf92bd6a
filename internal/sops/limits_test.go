package sops

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// blockOf is a block that has the right form, but fits no file. Anybody can write it.
const blockOf = `sops: {mac: "ENC[AES256_GCM,data:,iv:AA==,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]", lastmodified: "2026-01-01T00:00:00Z", %s, age: [{recipient: x, enc: x}]}
`

// nested returns a mapping of a hundred long keys, one below the other, with a value in the innermost one.
func nested(value string) string {
	var text strings.Builder
	for depth := range 97 {
		fmt.Fprintf(&text, "%s%s%d:\n", strings.Repeat(" ", depth), strings.Repeat("k", 1000), depth)
	}
	text.WriteString(strings.Repeat(" ", 97) + value + "\n")
	return text.String()
}

// A small file cannot ask for much memory with long paths, or for much time with its rule and its comments.
func TestSmallFilesThatCostMuch(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Code
	}{
		"many items with a long path": {nested("["+strings.Repeat("a,", 20_000)+"a]") + fmt.Sprintf(blockOf, "encrypted_regex: ^zzz$"), Unsupported},
		"many names with a long path": {nested("{"+strings.Repeat("a: 1, ", 20_000)+"a: 1}") + fmt.Sprintf(blockOf, "encrypted_regex: ^zzz$"), Unsupported},
		"a rule that repeats much":    {fmt.Sprintf(blockOf, `encrypted_regex: "`+strings.Repeat(".{0,999}", 100)+`$"`), BadBlock},
		"a rule for long names":       {"? " + strings.Repeat("k", 40_000) + "\n: 1\n" + fmt.Sprintf(blockOf, `encrypted_regex: "(.{0,900})$"`), Unsupported},
		"a rule for many comments": {strings.Repeat("# remark\n", 40_000) + "data: [" + strings.Repeat("a,", 20_000) + "a]\n" +
			fmt.Sprintf(blockOf, "encrypted_comment_regex: remark"), InClear},
		"a rule for much text in comments": {strings.Repeat("# remark\n", 40_000) + "data: 1\n" +
			fmt.Sprintf(blockOf, `encrypted_comment_regex: "(.{0,900})$"`), Unsupported},
	} {
		docs := parse(t, []byte(c.text))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, problems := Read(docs, &Effort{})
		runtime.ReadMemStats(&after)
		if !slices.Equal(codes(problems), []Code{c.want}) {
			t.Errorf("%s: got %v, want %s", name, codes(problems), c.want)
		}
		// The race detector makes comparisons allocate, too.
		if took := after.TotalAlloc - before.TotalAlloc; strings.HasSuffix(name, "with a long path") && took > 3*maxPlaces {
			t.Errorf("%s: a file of %d bytes takes %d bytes", name, len(c.text), took)
		}
	}
}

// Names below a name that matches are not compared, so a large file with a usual rule is read.
func TestLargeFilesAreRead(t *testing.T) {
	const value = "ENC[AES256_GCM,data:,iv:AA==,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]"
	var data strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&data, "  %s%d: %s\n", strings.Repeat("k", 100), i, value)
	}
	for _, rule := range []string{"encrypted_regex: ^(data|stringData|password.*)$", "unencrypted_comment_regex: ^ *in clear text *$"} {
		if _, problems := Read(parse(t, []byte("data:\n"+data.String()+fmt.Sprintf(blockOf, rule))), &Effort{}); len(problems) > 0 {
			t.Errorf("%s: %v", rule, problems[0])
		}
	}
}

// Many files that each stay below the limit of one file have a limit together.
func TestManyFilesThatCostMuch(t *testing.T) {
	text := "? " + strings.Repeat("k", 3_000) + "\n: 1\n" + fmt.Sprintf(blockOf, `encrypted_regex: "^x.{0,900}$"`)
	effort, files := Effort{}, 0
	for ; files < 100; files++ {
		if _, problems := Read(parse(t, []byte(text)), &effort); slices.Contains(codes(problems), Unsupported) {
			break
		}
	}
	if files < 10 || files > 50 {
		t.Errorf("%d files are read", files)
	}
}
