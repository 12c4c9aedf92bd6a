package image

import "testing"

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"debian", "debian", true}, {"debian", "debian-12", false}, {"debian-*", "debian-12", true}, {"debian-*", "my-debian-12", false}, {"*", "", true},
		{"*-amd64", "debian-amd64", true}, {"*-amd64", "debian-amd64-old", false}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "acb", false}, {"a*a", "a", false},
		{"[a]?*", "a", false}, {"[a]?*", "[a]?x", true}, {"**", "x", true},
	} {
		if got := like(c.pattern, c.name); got != c.want {
			t.Errorf("%s, %s: %t", c.pattern, c.name, got)
		}
	}
}
