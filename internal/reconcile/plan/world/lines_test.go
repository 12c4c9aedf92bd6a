package world_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// kinds are the kinds of the tests. Things are members of Flocks. Tents are members of Camps, and consist of a Rope and the Thing that does the work.
func kinds() []*kind.Kind {
	group := func(name, members string) *kind.Kind {
		return &kind.Kind{Info: kind.Info{Kind: name, Parts: []string{members}}, Group: kind.Group{Members: members}}
	}
	thing := &kind.Kind{Info: kind.Info{Kind: "Thing"}, Cures: []kind.Way{{Name: "restart"}}}
	tent := &kind.Kind{Info: kind.Info{Kind: "Tent", Parts: []string{"Peg", "Rope", "Thing"}}}
	return []*kind.Kind{group("Flock", "Thing"), group("Camp", "Tent"), thing, {Info: kind.Info{Kind: "Rope"}}, tent}
}

// key parses a key in the form "Kind/name". For "", it returns the zero key.
func key(text string) manifest.Key {
	kind, name, _ := strings.Cut(text, "/")
	return manifest.Key{Kind: kind, Name: name}
}

func keys(texts string) (list []manifest.Key) {
	for _, text := range strings.Fields(texts) {
		list = append(list, key(text))
	}
	return list
}

// wanted returns the desired objects that lines describe. Each line is a key, followed by words: of=PARENT, near=TARGET, late=TARGET,
// was=FORMER, v=VERSION, down=NUMBER for a group, adopts=ID, and the names of properties.
func wanted(t *testing.T, lines []string) (want []kind.Desired) {
	t.Helper()
	for _, line := range lines {
		words := strings.Fields(line)
		d := kind.Desired{Key: key(words[0])}
		for _, word := range words[1:] {
			set(t, &d, word)
		}
		want = append(want, d)
	}
	return want
}

func set(t *testing.T, d *kind.Desired, word string) {
	t.Helper()
	switch word, value, _ := strings.Cut(word, "="); word {
	case "of":
		d.Parent = key(value)
	case "near", "late":
		d.Refs = append(d.Refs, kind.RefSpec{Key: key(value), Late: word == "late"})
	case "was":
		d.From = append(d.From, key(value))
	case "v":
		d.Digest = value
	case "down":
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		d.Rollout = &rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: n}}
	case "adopts":
		d.Import = &kind.Import{ID: value}
	case "defined":
		d.Definition = &kind.OfDefinition{Kind: &kind.Kind{Info: kind.Info{Kind: d.Key.Kind}}}
	case "unmanaged":
		d.Unmanaged = true
	case "virtual":
		d.Virtual = true
	case "spare":
		d.Spare = true
	case "scaled":
		d.Scaled = true
	case "suspended":
		d.Options.Suspend = true
	default:
		t.Fatalf("no line has a %q", word)
	}
}

func input(t *testing.T, lines ...string) world.Input {
	t.Helper()
	return world.Input{Stack: "s", Kinds: kinds(), Want: wanted(t, lines)}
}

// written returns the keys of objects, with their versions, in one line.
func written(want []kind.Desired) string {
	var words []string
	for _, d := range want {
		words = append(words, strings.TrimPrefix(d.Key.String(), "/")+strings.TrimSuffix("="+d.Digest, "="))
	}
	return strings.Join(words, " ")
}
