package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// comparison collects the differences between two trees.
type comparison struct {
	secrets *redact.Redactor
	changes []kind.Change
}

// compare descends if both sides are maps or lists of maps. It compares everything else as a whole.
func (c *comparison) compare(path string, have, want any) {
	if reflect.DeepEqual(have, want) {
		return
	}
	h, ok1 := have.(map[string]any)
	w, ok2 := want.(map[string]any)
	if ok1 && ok2 || path == "" {
		c.compareMaps(path, h, w)
		return
	}
	before, ok1 := listOfMaps(have)
	after, ok2 := listOfMaps(want)
	if ok1 && ok2 {
		c.compareLists(path, before, after)
		return
	}
	shownHave, secret1 := c.show(have)
	shownWant, secret2 := c.show(want)
	secret := secret1 || secret2 || reflect.DeepEqual(shownHave, shownWant) // the texts differ only in secrets, which were removed
	c.changes = append(c.changes, kind.Change{Field: path, Have: shownHave, Want: shownWant, Secret: secret})
}

func (c *comparison) compareMaps(path string, have, want map[string]any) {
	keys := map[string]bool{}
	for _, m := range []map[string]any{have, want} {
		for key := range m {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		c.compare(below(path, key), have[key], want[key])
	}
}

// below returns the path of the value with a key in a map, in the form that [manifest.Object.Where] reads.
func below(path, key string) string {
	switch {
	case strings.ContainsAny(key, ".[]/"):
		return path + "[" + key + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func listOfMaps(value any) (list []any, ok bool) {
	list, ok = value.([]any)
	for _, item := range list {
		if _, isMap := item.(map[string]any); !isMap {
			return nil, false
		}
	}
	return list, ok
}

// compareLists leaves out the equal items at the beginning and at the end of both lists. If both lists have equally many items
// between these, these items are compared one by one. Otherwise the old items are shown as removed, and the new ones as added.
func (c *comparison) compareLists(path string, have, want []any) {
	first := 0
	for first < min(len(have), len(want)) && reflect.DeepEqual(have[first], want[first]) {
		first++
	}
	last := 0
	for last < min(len(have), len(want))-first && reflect.DeepEqual(have[len(have)-1-last], want[len(want)-1-last]) {
		last++
	}
	gone, come := have[first:len(have)-last], want[first:len(want)-last]
	item := func(i int) string { return fmt.Sprintf("%s[%d]", path, first+i) }
	if len(gone) == len(come) {
		for i := range gone {
			c.compare(item(i), gone[i], come[i])
		}
		return
	}
	for i := range gone {
		c.compare(item(i), gone[i], nil)
	}
	for i := range come {
		c.compare(item(i), nil, come[i])
	}
}

// show returns a value as people may see it. secret is true if no part of it may be shown.
func (c *comparison) show(value any) (shown any, secret bool) {
	switch v := value.(type) {
	case sealed:
		return redact.Hidden, true
	case string:
		return c.secrets.Text(v), false
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i], _ = c.show(v[i])
		}
		return list, false
	case map[string]any:
		m := make(map[string]any, len(v))
		for key := range v {
			m[key], _ = c.show(v[key])
		}
		return m, false
	}
	return value, false
}
