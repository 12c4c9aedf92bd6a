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
				answer := j.do(t.Context(), "networks", since, time.Minute, func() (int64, bool) { return asked.Add(1), i%7 > 0 })
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
	out   chan bool // the first question's answer: whether it is common
	asked atomic.Int64
	gave  sync.Map // how often each answer was returned
}

func (s *jointStage) ask(ctx context.Context, common bool, answer string) {
	got := s.do(ctx, "k", time.Now(), 0, func() (string, bool) { s.asked.Add(1); return answer, common })
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
	s.out = make(chan bool)
	go s.do(t.Context(), "k", time.Now(), 0, func() (string, bool) { s.asked.Add(1); return "first", <-s.out })
	synctest.Wait()
}

func TestJointWaitsForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		s.begin(t)
		for range 10 {
			go s.ask(t.Context(), true, "second")
			synctest.Wait()
		}
		s.out <- true
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
			go s.ask(t.Context(), false, "no")
			synctest.Wait()
		}
		s.out <- false
		synctest.Wait()
		if s.asked.Load() != 11 || s.given("no") != 10 {
			t.Errorf("%d questions, %d answers", s.asked.Load(), s.given("no"))
		}
	})
}

// One of the waiting callers has to send the question for all of them. If it gives up, the others send the
// question themselves.
func TestJointAskerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		s.begin(t)
		ctx, cancel := context.WithCancel(t.Context())
		go s.ask(ctx, true, "gone")
		synctest.Wait()
		go s.ask(t.Context(), true, "left")
		synctest.Wait()
		cancel()
		synctest.Wait()
		if s.given("") != 1 || s.given("left") != 1 {
			t.Errorf("%d have nothing, %d an answer", s.given(""), s.given("left"))
		}
		s.out <- true
		synctest.Wait()
		s.ask(t.Context(), true, "later")
		if s.given("later") != 1 {
			t.Error("nobody can ask any more")
		}
	})
}

// A caller gives the time after which its answer must have been requested. It gets the answer to a later question,
// even if that answer arrived long ago.
func TestJointForWhoBeganBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s jointStage
		ask := func(since time.Time) string {
			return s.do(t.Context(), "k", since, time.Minute, func() (string, bool) { return fmt.Sprint(s.asked.Add(1)), true })
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
		return weak.Make(j.do(t.Context(), "networks", time.Now(), time.Hour, func() (*[1024]byte, bool) { return new([1024]byte), true }))
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
				ask := func() (int, bool) {
					asked = append(asked, time.Since(began))
					time.Sleep(c.took)
					return len(asked), true
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
