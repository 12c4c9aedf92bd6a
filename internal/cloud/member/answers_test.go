package member

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The answers of all machines have the same weight. Half of the machines are no majority.
func TestMost(t *testing.T) {
	for _, c := range []struct {
		said string
		want string
	}{{"", ""}, {"a", "a"}, {"aab", "aa"}, {"baa", "aa"}, {"ab", ""}, {"aabb", ""}, {"abcaa", "aaa"}, {"abc", ""}} {
		if got := string(Most([]rune(c.said), func(r rune) string { return string(r) })); got != c.want {
			t.Errorf("%s: %q, want %q", c.said, got, c.want)
		}
	}
}

// Machines that do not answer are not counted.
func TestAgreed(t *testing.T) {
	silent := Answer[string]{Err: boot.ErrSilent}
	if same := Agreed([]Answer[string]{silent, silent, {Address: "1", Said: "a"}}, func(s string) string { return s }); len(same) != 1 || same[0].Address != "1" {
		t.Errorf("got %+v", same)
	}
	if same := Agreed([]Answer[string]{silent}, func(s string) string { return s }); same != nil {
		t.Errorf("got %+v", same)
	}
}

// For each protocol, a request is tried again only if the cluster may answer it differently later.
func TestClassed(t *testing.T) {
	other := errors.New("no route")
	for _, c := range []struct{ err, want error }{
		{nil, nil}, {other, other},
		{&etcd.Refused{Code: 9}, kind.ErrBusy}, {&etcd.Refused{Code: 5}, nil}, {&m3.Refused{Status: 500}, kind.ErrBusy},
		{etcd.ErrSilent, kind.ErrUnanswered}, {m3.ErrSilent, kind.ErrUnanswered}, {boot.Unready{Why: "404"}, kind.ErrUnanswered},
	} {
		got := Classed(fmt.Errorf("asked: %w", c.err))
		if busy, silent := errors.Is(got, kind.ErrBusy), errors.Is(got, kind.ErrUnanswered); busy != errors.Is(c.want, kind.ErrBusy) || silent != errors.Is(c.want, kind.ErrUnanswered) {
			t.Errorf("%v is %v", c.err, got)
		}
		if c.err != nil && !errors.Is(got, c.err) {
			t.Errorf("%v is lost in %v", c.err, got)
		}
	}
}
