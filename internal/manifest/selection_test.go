package manifest_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func TestSelection(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"a.yaml", "b.yml", "drafts/c.yaml", "drafts/deep/d.yaml", "net/e.yaml", "net/drafts/f.yaml", "net/e.tmpl.yaml"} {
		files[name] = &fstest.MapFile{}
	}
	for name, c := range map[string]struct {
		of   manifest.Selection
		want string
	}{
		"all":                          {manifest.Selection{}, "a.yaml b.yml drafts/c.yaml drafts/deep/d.yaml net/drafts/f.yaml net/e.tmpl.yaml net/e.yaml"},
		"a folder less":                {manifest.Selection{Exclude: []string{"drafts"}}, "a.yaml b.yml net/drafts/f.yaml net/e.tmpl.yaml net/e.yaml"},
		"such folders anywhere":        {manifest.Selection{Exclude: []string{"**/drafts"}}, "a.yaml b.yml net/e.tmpl.yaml net/e.yaml"},
		"what is in a folder":          {manifest.Selection{Exclude: []string{"drafts/**", "*.yml"}}, "a.yaml net/drafts/f.yaml net/e.tmpl.yaml net/e.yaml"},
		"some":                         {manifest.Selection{Include: []string{"*.yaml", "net/*.yaml"}, Exclude: []string{"**/*.tmpl.yaml"}}, "a.yaml net/e.yaml"},
		"either end":                   {manifest.Selection{Include: []string{"**/*.{yml,tmpl.yaml}"}}, "b.yml net/e.tmpl.yaml"},
		"a folder less, as git has it": {manifest.Selection{Exclude: []string{"drafts/", "/a.yaml", "./b.yml"}}, "net/drafts/f.yaml net/e.tmpl.yaml net/e.yaml"},
		"a folder":                     {manifest.Selection{Include: []string{"net"}}, "net/drafts/f.yaml net/e.tmpl.yaml net/e.yaml"},
		"one level":                    {manifest.Selection{Include: []string{"net/*"}}, "net/e.tmpl.yaml net/e.yaml"},
		"none":                         {manifest.Selection{Include: []string{"x/*.yaml"}}, ""},
	} {
		var got []string
		err := fs.WalkDir(c.of.Of(files), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				got = append(got, path)
			}
			return err
		})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v, want %s", name, got, err, c.want)
		}
	}
	for pattern, want := range map[string]bool{"": false, "/": false, "a[": false, "{a": false, "a/**": true, "*.yaml": true, "drafts/": true, "./drafts": true, "/drafts": true, `drafts\**`: false, "!net": false, "../net": false} {
		if why := manifest.NoPattern(pattern); (why == "") != want {
			t.Errorf("%q is a pattern: %t (%s)", pattern, !want, why)
		}
	}
	none := manifest.Selection{Include: []string{"net", "nte/*.yaml"}, Exclude: []string{"net/deep", "drafts"}}.Of(files)
	if _, err := manifest.Load(none, kinds()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(manifest.Unmatched(none), " "); got != "net/deep nte/*.yaml" {
		t.Errorf("without a match: %s", got)
	}
}
