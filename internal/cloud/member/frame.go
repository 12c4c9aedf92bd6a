package member

import (
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Info is what a kind of members is, whatever their protocol.
func (k Kind[Spec]) Info(name, doc string) kind.Info {
	return kind.Info{Group: define.WorkloadGroup, Version: "v1alpha1", Kind: name, FixedMark: true, StaysMarked: true, Rare: true, ReportsHealth: true, HostedOn: k.Inside,
		Unmark: "it bears the mark of its Port", Doc: doc}
}

// Marked is the part of their drivers that they have in common: ports bear their marks, which are taken off there.
type Marked[State any] struct{}

// Unmark is that of [typed.Kind].
func (Marked[State]) Unmark(context.Context, typed.Live[State]) error { return nil }

// Absent reports whether a cluster has refused a request since it has no such member.
func Absent(err error) bool {
	var refused interface {
		error
		NotFound() bool
	}
	return errors.As(err, &refused) && refused.NotFound()
}

// NotBlank says of a machine that it does not say that it has no data: failure is its own reason, lacks what it would say otherwise.
func NotBlank(address, failure, lacks string) string {
	machine := "the machine at " + address
	return Failure(machine, failure, machine+" does not say that "+lacks)
}
