package m3

import (
	"context"
	"net"
	"strconv"
	"sync"
)

// Answer is what one machine answered.
type Answer[T any] struct {
	Address string
	Said    T
	Err     error // that nobody answered
}

// Everywhere asks machines the same, all at the same time.
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

// Agreed is what more than half of those say that answered, by what is alike in their answers, and of those the one that is
// preferred; nil when there is no such. All of them know the same, so one that lies, or was left behind, does not outvote the others.
func Agreed[T any](answers []Answer[T], alike func(T) string, better func(a, b T) bool) (agreed *Answer[T]) {
	count, answered := map[string]int{}, 0
	for _, a := range answers {
		if a.Err == nil {
			answered++
			count[alike(a.Said)]++
		}
	}
	for i := range answers {
		a := &answers[i]
		if a.Err != nil || 2*count[alike(a.Said)] <= answered {
			continue
		}
		if agreed == nil || better(a.Said, agreed.Said) {
			agreed = a
		}
	}
	return agreed
}

// Alike is what placements of the same instances have in common: how far these are with their shards changes all the time.
func (p *Placement) Alike() string {
	if p == nil {
		return ""
	}
	text := "placement"
	for _, h := range p.Instances {
		text += "\n" + h.ID + "\x00" + h.IsolationGroup + "\x00" + net.JoinHostPort(h.Address, strconv.Itoa(h.Port))
	}
	return text
}
