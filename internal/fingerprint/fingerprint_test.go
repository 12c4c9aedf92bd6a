package fingerprint_test

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
)

func printer(t *testing.T, salt string, keys ...string) *fingerprint.Printer {
	t.Helper()
	var list [][]byte
	for _, k := range keys {
		list = append(list, []byte(k))
	}
	p, err := fingerprint.New(salt, list...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var subject = fingerprint.Subject{Holder: "Secret/pin", Object: "Server/a", Public: "{}", Secret: "4711"}

const one, two = "a key of sixteen bytes or more", "another key of sixteen bytes or more"

// Each guess of a secret costs a slow hash. Hashes that were computed for one project or one holder are useless
// for any other.
func TestAttackFingerprintGuess(t *testing.T) {
	p := printer(t, "project/stack")
	print := p.Print(subject)
	for pin := range 50 {
		guess := subject
		guess.Secret = fmt.Sprint(4662 + pin)
		if got := p.Compare(print, guess); (got == fingerprint.Same) != (guess.Secret == "4711") {
			t.Errorf("%s: %v", guess.Secret, got)
		}
	}
	if n := p.Count(); n != 50 {
		t.Errorf("50 secrets cost %d slow hashes", n)
	}
	sum := sha256.Sum256([]byte("4711"))
	if strings.Contains(print, strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:12]) {
		t.Error("a plain digest of the secret is in the fingerprint")
	}
	seen := map[string]string{print: "itself"}
	for what, other := range map[string]string{
		"another project": printer(t, "other/stack").Print(subject),
		"another holder":  p.Print(with(func(s *fingerprint.Subject) { s.Holder = "Secret/other" })),
		"another object":  p.Print(with(func(s *fingerprint.Subject) { s.Object = "Server/b" })),
		"another public":  p.Print(with(func(s *fingerprint.Subject) { s.Public = "" })),
		"a key":           printer(t, "project/stack", one).Print(subject),
		"another key":     printer(t, "project/stack", two).Print(subject),
	} {
		if seen[other] != "" {
			t.Errorf("%s has the fingerprint of %s", what, seen[other])
		}
		seen[other] = what
	}
}

func with(change func(*fingerprint.Subject)) fingerprint.Subject {
	s := subject
	change(&s)
	return s
}

func TestKeysRotate(t *testing.T) {
	salted, first := printer(t, "s").Print(subject), printer(t, "s", one).Print(subject)
	both := printer(t, "s", two, one)
	for what, print := range map[string]string{"salted": salted, "by the old key": first, "by the new key": both.Print(subject)} {
		if got := both.Compare(print, subject); got != fingerprint.Same {
			t.Errorf("%s: %v", what, got)
		}
		if got := both.Compare(print, with(func(s *fingerprint.Subject) { s.Secret = "0815" })); got != fingerprint.Other {
			t.Errorf("%s, another secret: %v", what, got)
		}
	}
	if both.Print(subject) == first {
		t.Error("the old key is used for writing")
	}
	if got := printer(t, "s", two).Compare(first, subject); got != fingerprint.Unknown {
		t.Errorf("by a key that is gone: %v", got)
	}
	if _, err := fingerprint.New("s", []byte("short")); err == nil {
		t.Error("a short key was taken")
	}
}

// If a thousand objects refer to one secret, it is hashed once.
func TestFingerprintCost(t *testing.T) {
	p := printer(t, "s")
	for range 2 {
		for i := range 1000 {
			p.Print(with(func(s *fingerprint.Subject) { s.Object = fmt.Sprint("Server/", i) }))
		}
	}
	if n := p.Count(); n != 1 {
		t.Errorf("%d slow hashes, want 1", n)
	}
}

func BenchmarkSlow(b *testing.B) {
	p, err := fingerprint.New("s")
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		p.Print(with(func(s *fingerprint.Subject) { s.Secret = fmt.Sprint(i) }))
	}
}

// The planner makes fingerprints of all secrets in each round, so a further fingerprint of a known secret allocates little.
func TestAFurtherFingerprintAllocatesLittle(t *testing.T) {
	p := printer(t, "stack")
	s := fingerprint.Subject{Holder: "Secret/a", Object: "Server/a", Secret: "a secret of usual length"}
	p.Print(s)
	if n := testing.AllocsPerRun(100, func() { p.Print(s) }); n > 12 {
		t.Errorf("%.0f allocations, want 12 at most", n)
	}
}
