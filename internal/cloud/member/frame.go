package member

import (
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Info returns the properties that all kinds of members have, whatever their protocol.
func (k Kind[Spec]) Info(name, doc string) kind.Info {
	return kind.Info{Group: define.WorkloadGroup, Version: "v1alpha1", Kind: name, FixedMark: true, StaysMarked: true, Rare: true, ReportsHealth: true, HostedOn: k.Inside,
		Unmark: "it has the mark of its Port", Doc: doc}
}

// Marked is the common part of the drivers of all kinds of members. The mark is on the member's port, and is removed there.
type Marked[State any] struct{}

// Unmark implements the function of [typed.Kind]. It does nothing, because the mark is removed from the port.
func (Marked[State]) Unmark(context.Context, typed.Live[State]) error { return nil }

// Absent reports whether a cluster has refused a request because it has no such member.
func Absent(err error) bool {
	var refused interface {
		error
		NotFound() bool
	}
	return errors.As(err, &refused) && refused.NotFound()
}

// MayHaveData returns the message for a machine that does not report that it has no data. failure is the machine's own reason. If it
// gives none, the message is that the machine does not say that lacks, for example that it has no data.
func MayHaveData(address, failure, lacks string) string {
	machine := "the machine at " + address
	return Failure(machine, failure, machine+" does not say that "+lacks)
}
