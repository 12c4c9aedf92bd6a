package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// bomb is a manifest with groups of a thousand machines each.
func bomb(groups int) string {
	var b strings.Builder
	for i := range groups {
		fmt.Fprintf(&b, "---\napiVersion: stackreeve.dev/v1alpha1\nkind: VirtualMachineGroup\nmetadata: {name: g%d}\nspec: {replicas: 1000, template: {image: debian, flavor: small}}\n", i)
	}
	return b.String()
}

// TestAttackPullRequestIsMeasuredByItsBranch checks the limit for a pull request, which depends on the size of the branch. If the branch
// cannot be read, the pull request that corrects it is not refused.
func TestAttackPullRequestIsMeasuredByItsBranch(t *testing.T) {
	testcost.Long(t)
	files := func(text string) fs.FS { return fstest.MapFS{"a.yaml": {Data: []byte(text)}} }
	for _, c := range []struct{ name, branch, pull, values string }{
		{"small", bomb(0), bomb(1), "a.yaml:2: VirtualMachineGroup/g0: 1000 objects 0; spec.limits.pullObjects"},
		{"as large again", bomb(2), bomb(3), ""},
		{"larger", bomb(1), bomb(3), "3005; spec.limits.pullObjects"},
		{"large", bomb(6), bomb(7), "20000 objects spec.limits.objects"},
		{"broken", "apiVersion: stackreeve.dev/v1alpha1\nkind: Oops\n", bomb(3), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Opener{}.Previewer(&config.Stack{})
			l.Base = func() (source.Revision, bool) { return source.Revision{Tree: "t", Files: files(c.branch)}, true }
			_, err := l.Read(t.Context(), files(c.pull))
			var problems manifest.Problems
			if (err != nil) != (c.values != "") || err != nil && !errors.As(err, &problems) {
				t.Errorf("got %v\nwant %s", err, c.values)
			}
			for _, value := range strings.Fields(c.values) {
				if err != nil && !strings.Contains(err.Error(), value) {
					t.Errorf("got %v\nwant %s", err, value)
				}
			}
			known := l.bounds
			if _, err := l.Read(t.Context(), files(c.branch)); err != nil && c.name != "broken" {
				t.Errorf("the branch itself: %v", err)
			}
			if l.bounds != known {
				t.Error("the branch was measured again")
			}
		})
	}
}

func TestAttackStoppedPullRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := Opener{}.Previewer(&config.Stack{})
	l.Base = func() (source.Revision, bool) {
		return source.Revision{Tree: "t", Files: fstest.MapFS{"a.yaml": {Data: []byte(bomb(6))}}}, true
	}
	if _, err := l.Read(ctx, fstest.MapFS{}); !errors.Is(err, context.Canceled) || l.bounds != nil {
		t.Errorf("got %v", err)
	}
}

// A key file that never ends does not delay anything.
func TestAttackFingerprintKeyIsAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, "/dev/zero"} {
		s := &config.Stack{Name: "prod"}
		s.Spec.Fingerprints.KeyFiles = []string{file}
		if _, err := fingerprints(s, "project"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
