package reconcile

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// What stacks, kinds and objects can be called.
var (
	stackWord = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	kindWord  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	word      = regexp.MustCompile(`^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$`)
)

// longestKind is the longest name of a kind for which the owner texts of any stack
// have room; internal/cloud/all checks that no kind exceeds it.
const longestKind = 15

// FuzzOwner: an owner text says the key that it was made of, is short enough for
// every service, and no two keys share one.
func FuzzOwner(f *testing.F) {
	f.Add("prod", "Network", "default", "front", "x")
	f.Add("prod", "Server", "team", strings.Repeat("a", 80), "stackreeve:prod:Server~abcdefghijkl")
	f.Add("p", "K", "", "a/b", "stackreeve:p:K/a/b")
	f.Add("p", "K", "default", "n:m", "stackreeve:::/~")
	f.Add("A", "0", "", "0", "0")
	f.Add(strings.Repeat("s", 20), "RouterInterface", "", strings.Repeat("n", 253), "stackreeve:sssssss~abcdefghijkl:K/a")
	f.Add(strings.Repeat("s", 21), "RouterInterface", "team", "n", "stackreeve:sssssss~abcdefghijkl:K~abcdefghijkl")
	f.Add("production-of-the-tokyo-region-blue-group", "K", "", "n", "stackreeve:ssss~abcdefghijkl:K/a")
	f.Fuzz(func(t *testing.T, stack, kind, namespace, name, text string) {
		if o, ok := ParseOwner(text); ok && (o.Stack == "" || o.Kind == "" || !strings.HasPrefix(text, "stackreeve:"+o.Stack+":"+o.Kind)) {
			t.Errorf("%q is read as %+v", text, o)
		}
		if len(stack) > MaxStackName || len(kind) > longestKind || !stackWord.MatchString(stack) || !kindWord.MatchString(kind) || !word.MatchString(name) || namespace != "" && !word.MatchString(namespace) {
			return // no stack, kind or object is called so
		}
		owner := OwnerText(stack, manifest.Key{Kind: kind, Namespace: namespace, Name: name})
		o, ok := ParseOwner(owner)
		if !ok || !o.Of(stack) || o.Kind != kind || len(owner) > MaxOwnerText {
			t.Fatalf("%q (%d bytes) is read as %+v, %v", owner, len(owner), o, ok)
		}
		if namespace == "" {
			namespace = "default"
		}
		if o.Name != "" && (o.Name != name || o.Namespace != namespace) && !strings.Contains(owner, "~") {
			t.Errorf("%q of %s/%s is read as %+v", owner, namespace, name, o)
		}
		if other := OwnerText(stack, manifest.Key{Kind: kind, Namespace: namespace, Name: name + "x"}); other == owner {
			t.Errorf("two keys have %q", owner)
		}
		if other := OwnerText(stack+"x", manifest.Key{Kind: kind, Namespace: namespace, Name: name}); other == owner || o.Of(stack+"x") {
			t.Errorf("two stacks have %q", owner)
		}
	})
}

// FuzzLimit: a limit is never more than what it says, whatever is owned.
func FuzzLimit(f *testing.F) {
	for _, text := range []string{"5", "30%", " 7 ", "1e2%", "NaN%", "-0%", "0x1p-2%", "100.0000001%", "9223372036854775807", "+3", "30%%"} {
		f.Add(text, 10)
	}
	f.Fuzz(func(t *testing.T, text string, owned int) {
		l, err := ParseLimit(text)
		if err != nil || owned < 0 || owned > 1<<40 {
			return
		}
		again, err := ParseLimit(l.String())
		if err != nil || again != l && l.of(owned) != again.of(owned) {
			t.Errorf("%q becomes %q, which becomes %+v, %v", text, l, again, err)
		}
		n := l.of(owned)
		if n < 0 || strings.Contains(text, "%") && n > owned {
			t.Errorf("%q of %d is %d", text, owned, n)
		}
	})
}
