package cloud

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// exchangeOf is the end of a request that took some time. As many requests were in flight as the allowance says.
func exchangeOf(c *concurrency, at time.Duration, took time.Duration, o outcome) exchange {
	return exchange{"GET /servers", epoch.Add(at), epoch.Add(at + took), c.now(), o}
}

func TestConcurrency(t *testing.T) {
	const short, long = 50 * time.Millisecond, 400 * time.Millisecond
	for name, tt := range map[string]struct {
		ceiling int
		do      func(c *concurrency)
		want    int
	}{
		"nothing is known":        {100, func(*concurrency) {}, 10},
		"a ceiling below that":    {4, func(*concurrency) {}, 4},
		"no ceiling":              {0, func(*concurrency) {}, 1},
		"each success adds one":   {100, times(7, 0, short, served), 17},
		"up to the ceiling":       {100, times(1000, 0, short, served), 100},
		"what is not used":        {100, func(c *concurrency) { c.note(exchange{"", epoch, epoch.Add(short), 5, served}) }, 10},
		"the answer says nothing": {100, times(100, 0, short, unclear), 10},
		"overloaded":              {100, times(1, 0, short, overloaded), 5},
		"overloaded ten times at once": {100, func(c *concurrency) {
			for range 10 {
				c.note(exchangeOf(c, 0, short, overloaded))
			}
		}, 5},
		"overloaded again and again": {100, times(10, time.Second, short, overloaded), 1},
		"growth after a reduction": {100, func(c *concurrency) {
			times(1, 0, short, overloaded)(c)
			times(11, time.Second, short, served)(c) // 5 and 6 answers
		}, 6},
		"from one it grows": {100, func(c *concurrency) {
			times(10, time.Second, short, overloaded)(c)
			times(100, time.Minute, short, served)(c)
		}, 14},
		"most answers are slow": {100, func(c *concurrency) {
			times(1, 0, short, served)(c)
			times(22, time.Second, long, served)(c)
		}, 8},
		"a few answers are slow": {100, func(c *concurrency) {
			times(1, 0, short, served)(c)
			c.note(exchangeOf(c, time.Second, long, served))
			c.note(exchangeOf(c, time.Second, long, served))
			times(20, time.Second, short, served)(c)
		}, 31},
		"twice the usual time": {100, func(c *concurrency) {
			times(1, 0, long, served)(c)
			times(5, time.Second, 2*long, served)(c)
		}, 16},
		"short delays are not slow": {100, func(c *concurrency) {
			times(1, 0, time.Millisecond, served)(c)
			times(5, time.Second, 100*time.Millisecond, served)(c)
		}, 16},
		"classes are judged by themselves": {100, func(c *concurrency) {
			for i := range 10 {
				c.note(exchange{fmt.Sprint("GET /", i%2), epoch, epoch.Add(short + time.Duration(i%2)*10*time.Second), c.now(), served})
			}
		}, 20},
		"too many classes": {100, func(c *concurrency) {
			for i := range 10 * maxClasses {
				c.note(exchange{fmt.Sprint("GET /", i), epoch, epoch.Add(short), 1, served})
			}
			if len(c.usual) > maxClasses {
				panic("too many")
			}
		}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConcurrency(tt.ceiling)
			if tt.do(&c); c.now() != tt.want {
				t.Errorf("%d may be in flight, want %d", c.now(), tt.want)
			}
		})
	}
}

// times notes some exchanges one after the other.
func times(n int, from, took time.Duration, o outcome) func(*concurrency) {
	return func(c *concurrency) {
		for i := range n {
			c.note(exchangeOf(c, from+time.Duration(i)*time.Second, took, o))
		}
	}
}

// A service that handles some requests at the same time, and each of the others later, gets enough requests to be busy, and not many more.
func TestConcurrencyFollowsTheWorkersOfAService(t *testing.T) {
	for _, workers := range []int{1, 2, 8, 20} {
		c, now := newConcurrency(100), time.Duration(0)
		const work = 250 * time.Millisecond
		lowest, highest := 100, 0
		for i := range 20_000 {
			beside := c.now()
			took := work * time.Duration(max(beside, workers)) / time.Duration(workers)
			if i%1000 < 10 {
				beside, took = 1, work // sometimes there is little to do
			}
			c.note(exchange{"POST /networks", epoch.Add(now), epoch.Add(now + took), beside, served})
			if now += took / time.Duration(beside); i > 2000 {
				lowest, highest = min(lowest, c.now()), max(highest, c.now())
			}
		}
		if lowest < workers || highest > 5*workers {
			t.Errorf("with %d workers, %d to %d requests are in flight", workers, lowest, highest)
		}
	}
}

// The allowance is always between 1 and the ceiling. If the service then works well, the allowance is soon as large as it may be,
// even if the service has become slower forever.
func TestConcurrencyBoundsAndRecovery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ceiling := rapid.IntRange(-1, 200).Draw(t, "ceiling")
		c, now := newConcurrency(ceiling), time.Duration(0)
		checked := func(x exchange) {
			if c.note(x); c.now() < 1 || c.now() > max(1, ceiling) || c.at != c.at {
				t.Fatalf("%v may be in flight, of %d", c.at, ceiling)
			}
		}
		for range rapid.IntRange(0, 300).Draw(t, "n") {
			took := time.Duration(rapid.Int64Range(-int64(time.Second), int64(2*time.Minute)).Draw(t, "took"))
			now += time.Duration(rapid.Int64Range(-int64(time.Minute), int64(time.Minute)).Draw(t, "pause"))
			checked(exchange{rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "class"), epoch.Add(now), epoch.Add(now + took), rapid.IntRange(0, 300).Draw(t, "beside"),
				rapid.SampledFrom([]outcome{unclear, served, overloaded}).Draw(t, "outcome")})
		}
		if now = max(now, 0) + 10*time.Minute; c.fallen.After(epoch.Add(now)) {
			t.Fatal("it fell in the future")
		}
		for range 30_000 {
			checked(exchange{"a", epoch.Add(now), epoch.Add(now + 5*time.Second), c.now(), served})
			now += 5 * time.Second / time.Duration(c.now())
		}
		if c.now() != max(1, ceiling) {
			t.Errorf("%d of %d may be in flight after 30,000 good answers", c.now(), ceiling)
		}
	})
}

// FuzzConcurrency reads each exchange from four bytes: its outcome and class, its pause, its time, and the requests beside it.
func FuzzConcurrency(f *testing.F) {
	f.Add(7, []byte{1, 2, 3, 4, 2, 0, 255, 9})
	f.Fuzz(func(t *testing.T, ceiling int, text []byte) {
		c, now := newConcurrency(ceiling), epoch
		for ; len(text) >= 4; text = text[4:] {
			now = now.Add(time.Duration(text[1]) * time.Second / 4)
			before := c.now()
			x := exchange{string('a' + rune(text[0]/3)), now, now.Add(time.Duration(int8(text[2])) * time.Second), int(text[3]), outcome(text[0] % 3)}
			if c.note(x); c.now() < 1 || c.now() > max(1, ceiling) || c.now() > before+1 || 2*c.now() < before-1 || len(c.usual) > maxClasses {
				t.Fatalf("%d may be in flight after %d, of %d", c.now(), before, ceiling)
			}
		}
	})
}
