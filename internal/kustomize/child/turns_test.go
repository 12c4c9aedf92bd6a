package child

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// TestTurns lets a third build wait until one ends, or until its context does.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		for range maxAtOnce {
			if err := turns.begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		begun := make(chan error, 2)
		ctx, stop := context.WithCancel(t.Context())
		go func() { begun <- turns.begin(ctx) }()
		synctest.Wait()
		if len(begun) > 0 {
			t.Fatalf("more than %d builds run", maxAtOnce)
		}
		stop()
		if err := <-begun; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		go func() { begun <- turns.begin(t.Context()) }()
		synctest.Wait()
		turns.end()
		if err := <-begun; err != nil {
			t.Error(err)
		}
	})
}

// TestJoin runs equal builds once. If the context of the first one ends, another one runs.
func TestJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		sum, ran := sha256.Sum256(nil), 0
		ctx, stop := context.WithCancel(t.Context())
		first := make(chan error)
		go func() {
			_, err := turns.join(ctx, sum, func() (kustomize.Output, error) {
				<-ctx.Done()
				return kustomize.Output{}, ctx.Err()
			})
			first <- err
		}()
		synctest.Wait()
		others, next := make(chan string, 3), make(chan struct{})
		for range cap(others) {
			go func() {
				out, err := turns.join(t.Context(), sum, func() (kustomize.Output, error) {
					ran++ // a second run at once would be a race
					<-next
					return kustomize.Output{Error: "made"}, nil
				})
				if err != nil {
					t.Error(err)
				}
				others <- out.Error
			}()
		}
		impatient, leave := context.WithCancel(t.Context())
		leave()
		synctest.Wait()
		if _, err := turns.join(impatient, sum, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the end of its own context", err)
		}
		stop()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		close(next)
		for range cap(others) {
			if got := <-others; got != "made" {
				t.Errorf("got %q", got)
			}
		}
		if ran != 1 {
			t.Errorf("ran %d times", ran)
		}
	})
}
