package ownertext

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// These are the forms of the names of stacks, kinds and objects.
var (
	stackWord = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	kindWord  = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	word      = regexp.MustCompile(`^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$`)
)

// longestKind is the longest name of a kind that fits into the owner texts of every stack. internal/cloud/all checks that no kind has a
// longer name.
const longestKind = 15

// FuzzText checks that an owner text gives back its key, and is short enough for every service. No two keys have the same text.
func FuzzText(f *testing.F) {
	f.Add("prod", "Network", "default", "front", "x")
	f.Add("prod", "Server", "team", strings.Repeat("a", 80), "stackreeve:prod:Server~abcdefghijkl")
	f.Add("p", "K", "", "a/b", "stackreeve:p:K/a/b")
	f.Add("p", "K", "default", "n:m", "stackreeve:::/~")
	f.Add("A", "0", "", "0", "0")
	f.Add(strings.Repeat("s", 20), "RouterInterface", "", strings.Repeat("n", 253), "stackreeve:sssssss~abcdefghijkl:K/a")
	f.Add(strings.Repeat("s", 21), "RouterInterface", "team", "n", "stackreeve:sssssss~abcdefghijkl:K~abcdefghijkl")
	f.Add("production-of-the-tokyo-region-blue-group", "K", "", "n", "stackreeve:ssss~abcdefghijkl:K/a")
	f.Fuzz(func(t *testing.T, stack, kind, namespace, name, text string) {
		if o, ok := Parse(text); ok && (o.Stack == "" || o.Kind == "" || !strings.HasPrefix(text, "stackreeve:"+o.Stack+":"+o.Kind)) {
			t.Errorf("%q is read as %+v", text, o)
		}
		if len(stack) > MaxStackName || len(kind) > longestKind || !stackWord.MatchString(stack) || !kindWord.MatchString(kind) || !word.MatchString(name) || namespace != "" && !word.MatchString(namespace) {
			return // such a text is not possible as the name of a stack, a kind or an object
		}
		owner := Of(stack, manifest.Key{Kind: kind, Namespace: namespace, Name: name})
		o, ok := Parse(owner)
		if !ok || !o.Of(stack) || o.Kind != kind || len(owner) > Max {
			t.Fatalf("%q (%d bytes) is read as %+v, %v", owner, len(owner), o, ok)
		}
		if namespace == "" {
			namespace = "default"
		}
		if o.Name != "" && (o.Name != name || o.Namespace != namespace) && !strings.Contains(owner, "~") {
			t.Errorf("%q of %s/%s is read as %+v", owner, namespace, name, o)
		}
		if other := Of(stack, manifest.Key{Kind: kind, Namespace: namespace, Name: name + "x"}); other == owner {
			t.Errorf("two keys have %q", owner)
		}
		if other := Of(stack+"x", manifest.Key{Kind: kind, Namespace: namespace, Name: name}); other == owner || o.Of(stack+"x") {
			t.Errorf("two stacks have %q", owner)
		}
	})
}

// A text is an owner text only if it is exactly as Of writes it.
func TestAttackOwnerTexts(t *testing.T) {
	for _, text := range []string{
		"stackreeve:s:Thing/default/a", "stackreeve:s:Thing/a/b/c", "stackreeve:s:Thing/", "stackreeve::Thing/a", "stackreeve:s:/a", "stackreeve:s:Thing~x",
		"stackreeve:s:Thing~abcdefghijkl/a", "stackreeve: s:Thing/a", "stackreeve:s:Thing/a b", "stackreeve:s:Thing/a]", "Stackreeve:s:Thing/a", "stackreeve:S:Thing/a",
		"stackreeve:s:Thing/a\n", " stackreeve:s:Thing/a", "stackreeve:s:t:Thing/a", "stackreeve:s:Thing/" + strings.Repeat("a", 60),
	} {
		if o, ok := Parse(text); ok {
			t.Errorf("%q is taken for the owner text of %v", text, o)
		}
	}
}

func FuzzParse(f *testing.F) {
	long := manifest.Key{Kind: "LoadBalancer", Namespace: "default", Name: strings.Repeat("long.", 20)}
	for _, text := range []string{Of("s", manifest.Key{Kind: "Thing", Name: "a"}), Of("s", long), Of("s", manifest.Key{Kind: "Thing", Namespace: "ns", Name: "a.b-c"}), "stackreeve:s:Thing~", "stackreeve:s:Thing/x~y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, ok := Parse(text)
		if !ok {
			return
		}
		if !LooksLikeMark(text) || !LooksLikeMark("x "+text) {
			t.Errorf("%q is an owner text, and a manifest may hold it", text)
		}
		if len(text) > Max || strings.ContainsAny(text, " \t\n[]") {
			t.Errorf("%q is an owner text", text)
		}
		if again := Of(o.Stack, manifest.Key{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}); o.Name != "" && again != text {
			t.Errorf("%q reads as %v, which is written %q", text, o, again)
		}
	})
}
