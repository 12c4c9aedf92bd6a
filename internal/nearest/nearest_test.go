package nearest

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	images := []string{"ubuntu-24.04", "debian-12", "debian-13", "centos79"}
	for name, want := range map[string]string{"centos-79": "centos79", "Debian-13": "debian-13", "windows": "", "debain-12": "debian-12"} {
		if got := Name(name, images); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := Names("debian-11", images, 2); !slices.Equal(got, []string{"debian-12", "debian-13"}) {
		t.Errorf("got %v", got)
	}
}

func TestOrder(t *testing.T) {
	branches := []string{"a-name-that-is-much-longer-than-forty-letters-and-so-is-last", "release", "Main", "mian", "main"}
	want := []string{"Main", "main", "mian", "release", "a-name-that-is-much-longer-than-forty-letters-and-so-is-last"}
	if got := Order("main", branches); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
