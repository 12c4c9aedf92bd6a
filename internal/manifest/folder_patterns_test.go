package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/fstest"
)

func TestFolders(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"eu/prod/a.yaml", "eu/test/a.yaml", "us/prod/deep/a.yaml", ".git/prod/a.yaml", "file.yaml", "us/file"} {
		files[name] = &fstest.MapFile{}
	}
	for pattern, want := range map[string][]string{
		"*": {"eu", "us"}, "*/prod": {"eu/prod", "us/prod"}, "*/*": {"eu/prod", "eu/test", "us/prod"}, "e?": {"eu"}, "none*": nil,
	} {
		if got, err := Folders(files, pattern, 10); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, %v, want %v", pattern, got, err, want)
		}
	}
}

func TestAttackFolderPatterns(t *testing.T) {
	for _, pattern := range []string{"", "../*", "..", "/etc/*", "a/../*", "a//*", "a/*/", "**", "a/**", "{a,b/c}", "[", `a\*`, "./*"} {
		if FolderPattern(pattern) == "" {
			t.Errorf("%q is taken for a pattern of folders", pattern)
		}
	}
	for _, pattern := range []string{"*", "clouds/*", "teams/*/prod", "a[bc]?"} {
		if why := FolderPattern(pattern); why != "" {
			t.Errorf("%q %s", pattern, why)
		}
	}
}

func TestAttackTenThousandFolders(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 10_000 {
		files[fmt.Sprintf("f%d/a.yaml", i)] = &fstest.MapFile{}
	}
	if found, err := Folders(files, "*", 1000); !errors.Is(err, ErrManyFolders) || found != nil {
		t.Errorf("got %d folders, %v", len(found), err)
	}
}
