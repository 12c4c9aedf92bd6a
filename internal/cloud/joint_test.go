package cloud

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// No caller gets an answer to a question that was sent before that caller asked, however many callers there are.
func TestJointAnswersAreNeverOlder(t *testing.T) {
	var j joint[int64]
	var asked atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for i := range 500 {
				before, since := asked.Load(), time.Now()
				answer := j.do(t.Context(), "networks", since, time.Minute, func() (int64, audience) { return asked.Add(1), audience(i % 4) })
				if answer <= before {
					t.Errorf("answer %d came for who has seen question %d", answer, before)
				}
			}
		})
	}
	all.Wait()
	if len(j.out)+len(j.next) > 0 {
		t.Errorf("%d questions are left", len(j.out)+len(j.next))
	}
}

// jointStage has one question that is being answered, and further callers that wait for the next one.
type jointStage struct {
	joint[string]
	out   chan audience // of the first question's answer
	asked atomic.Int64
	gave  sync.Map // how often each answer was returned
}

func (s *jointStage) ask(ctx context.Context, whose audience, answer string) {
	got := s.do(ctx, "k", time.Now(), 0, func() (string, audience) { s.asked.Add(1); return answer, whose })
	times, _ := s.gave.LoadOrStore(got, new(atomic.Int64))
	times.(*atomic.Int64).Add(1)
}

func (s *jointStage) given(answer string) int64 {
	times, ok := s.gave.Load(answer)
	if !ok {
		return 0
	}
	return times.(*atomic.Int64).Load()
}

func (s *jointStage) begin(t *testing.T) {
	s.out = make(chan audience)
	go s.do(t.Context(), "k", time.Now(), 0, func() (string, audience) { s.asked.Add(1); return "first", <-s.out })
	synctest.Wait()
}

func TestJointWaitsForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		s.begin(t)
		for range 10 {
			go s.ask(t.Context(), laterCallers, "second")
			synctest.Wait()
		}
		s.out <- laterCallers
		synctest.Wait()
		if s.asked.Load() != 2 || s.given("second") != 10 {
			t.Errorf("%d questions, %d answers to the second", s.asked.Load(), s.given("second"))
		}
	})
}

// If only the first caller may have the answer, the others do not get it: each of them asks, all at the same time.
func TestJointRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		s.begin(t)
		for range 10 {
			go s.ask(t.Context(), oneCaller, "no")
			synctest.Wait()
		}
		s.out <- oneCaller
		synctest.Wait()
		if s.asked.Load() != 11 || s.given("no") != 10 {
			t.Errorf("%d questions, %d answers", s.asked.Load(), s.given("no"))
		}
	})
}

// One of the waiting callers has to send the question for all of them. If it gives up, another one sends it.
func TestJointAskerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		s.begin(t)
		ctx, cancel := context.WithCancel(t.Context())
		go s.ask(ctx, laterCallers, "gone")
		synctest.Wait()
		go s.ask(t.Context(), laterCallers, "left")
		synctest.Wait()
		for range 9 {
			go s.ask(t.Context(), laterCallers, "left")
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		if s.given("") != 1 || s.asked.Load() != 1 {
			t.Errorf("%d have nothing after %d questions", s.given(""), s.asked.Load())
		}
		s.out <- laterCallers
		synctest.Wait()
		if s.given("left") != 10 || s.asked.Load() != 2 {
			t.Errorf("%d have the answer after %d questions", s.given("left"), s.asked.Load())
		}
		s.ask(t.Context(), laterCallers, "later")
		if s.given("later") != 1 {
			t.Error("nobody can ask any more")
		}
	})
}

// If the caller that has sent the question gives up, one of the waiting callers sends it again for all. If the question failed, they get its error.
func TestJointFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		out := make(chan audience)
		for i := range 10 {
			go s.do(t.Context(), "k", time.Now(), time.Minute, func() (string, audience) { s.asked.Add(1); return fmt.Sprint(i), <-out })
		}
		for i, whose := range []audience{nobody, nobody, waitingCallers} {
			synctest.Wait()
			if n := s.asked.Load(); n != int64(i+1) {
				t.Fatalf("%d questions at the same time", n-int64(i))
			}
			time.Sleep(time.Millisecond) // a question that is sent later is new enough for all
			out <- whose
		}
		synctest.Wait()
		if s.asked.Load() != 3 || len(s.out)+len(s.next)+len(s.kept) > 0 {
			t.Errorf("%d questions; %d are left, and %d are kept", s.asked.Load(), len(s.out)+len(s.next), len(s.kept))
		}
	})
}

// A caller gives the time after which its answer must have been requested. It gets the answer to a later question,
// even if that answer arrived long ago.
func TestJointForWhoBeganBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		ask := func(since time.Time) string {
			return s.do(t.Context(), "k", since, time.Minute, func() (string, audience) { return fmt.Sprint(s.asked.Add(1)), laterCallers })
		}
		begun := time.Now()
		time.Sleep(time.Second)
		ask(time.Now())
		time.Sleep(time.Second)
		if got := ask(begun); got != "1" {
			t.Errorf("who began before has answer %s", got)
		}
		if got := ask(time.Now()); got != "2" {
			t.Errorf("who begins now has answer %s", got)
		}
		s.drop("k", func(answer string) bool { return answer == "2" })
		if got := ask(begun); got != "3" {
			t.Errorf("who began before has answer %s, which was dropped", got)
		}
		time.Sleep(2 * time.Minute)
		if got := ask(begun); got != "4" || len(s.kept) != 1 {
			t.Errorf("who began long ago has answer %s; %d are kept", got, len(s.kept))
		}
	})
}

// An old answer uses no memory once there is a newer one, even if later callers could still have had it.
func TestJointKeepsOnlyTheLastAnswer(t *testing.T) {
	var j joint[*[1024]byte]
	ask := func() weak.Pointer[[1024]byte] {
		return weak.Make(j.do(t.Context(), "networks", time.Now(), time.Hour, func() (*[1024]byte, audience) { return new([1024]byte), laterCallers }))
	}
	first, last := ask(), ask()
	runtime.GC()
	if first.Value() != nil {
		t.Error("the first answer is still there")
	}
	if last.Value() == nil {
		t.Error("the last answer is not kept")
	}
}

// A question whose last answer took long is not sent again at once. Callers that arrive until then get the next answer together.
func TestJointRestsAfterALongAnswer(t *testing.T) {
	for name, c := range map[string]struct{ took, want time.Duration }{
		"a short answer": {10 * time.Millisecond, 30 * time.Millisecond},
		"a long answer":  {time.Second, time.Second + maxRest},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var j joint[int]
				began, asked := time.Now(), []time.Duration(nil)
				ask := func() (int, audience) {
					asked = append(asked, time.Since(began))
					time.Sleep(c.took)
					return len(asked), laterCallers
				}
				j.do(t.Context(), "q", began, time.Minute, ask)
				answers := make(chan int, 2)
				for range 2 {
					since := time.Now()
					go func() { answers <- j.do(t.Context(), "q", since, time.Minute, ask) }()
					synctest.Wait()
				}
				if a, b := <-answers, <-answers; a != 2 || b != 2 {
					t.Errorf("answers %d and %d, want both the second", a, b)
				}
				if len(asked) != 2 || asked[1] != c.want {
					t.Errorf("asked at %v, want the second at %s", asked, c.want)
				}
			})
		})
	}
}
