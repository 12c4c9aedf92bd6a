package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/boot"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Answer is what one machine answered.
type Answer[T any] struct {
	Address string
	Said    T
	Err     error // not nil if the machine gave no answer that can be used
}

// Everywhere sends the same request to machines, to all at the same time.
func Everywhere[T any](ctx context.Context, addresses []string, ask func(ctx context.Context, address string) (T, error)) []Answer[T] {
	answers := make([]Answer[T], len(addresses))
	var asking sync.WaitGroup
	for i, address := range addresses {
		asking.Go(func() {
			said, err := ask(ctx, address)
			answers[i] = Answer[T]{address, said, err}
		})
	}
	asking.Wait()
	return answers
}

// Agreed returns equal answers, if more than half of all that answered gave them (see [Most]).
func Agreed[T any](answers []Answer[T], alike func(T) string) []Answer[T] {
	answered := slices.DeleteFunc(slices.Clone(answers), func(a Answer[T]) bool { return a.Err != nil })
	return Most(answered, func(a Answer[T]) string { return alike(a.Said) })
}

// Most returns the values on which more than half of all agree, compared by alike; nil if there is no majority. A machine that lies, or has old data,
// cannot outvote the others.
func Most[T any](all []T, alike func(T) string) (most []T) {
	same := map[string][]T{}
	for _, one := range all {
		text := alike(one)
		if same[text] = append(same[text], one); 2*len(same[text]) > len(all) {
			most = same[text]
		}
	}
	return most
}

// Classed adds a class to errors after which the request can be tried again: kind.ErrBusy if the cluster may accept it later, kind.ErrUnanswered if no
// machine answered.
func Classed(err error) error {
	var refused interface {
		error
		Later() bool // whether the cluster may accept it when it is in another state
	}
	switch {
	case errors.As(err, &refused) && refused.Later():
		return fmt.Errorf("%w: %w", kind.ErrBusy, err)
	case errors.Is(err, boot.ErrSilent):
		return fmt.Errorf("%w: %w", kind.ErrUnanswered, err)
	}
	return err
}
