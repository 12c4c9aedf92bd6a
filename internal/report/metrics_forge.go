package report

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// undelivered is the number of undelivered reports to forges, by repository. A repository may have several outboxes: two forges can have
// repositories with the same name, and an agent that shares stacks has one outbox for each stack. It implements [prometheus.Collector].
type undelivered struct {
	desc *prometheus.Desc

	mu     sync.Mutex
	counts map[string]map[int]func() int
	number int // the number of the newest outbox
}

func newUndelivered() *undelivered {
	desc := prometheus.NewDesc("stackreeve_forge_owed", "Statuses and comments that were not delivered yet.", []string{"repository"}, nil)
	return &undelivered{desc: desc, counts: map[string]map[int]func() int{}}
}

// Describe implements prometheus.Collector.
func (u *undelivered) Describe(to chan<- *prometheus.Desc) { to <- u.desc }

// Collect implements prometheus.Collector.
func (u *undelivered) Collect(to chan<- prometheus.Metric) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for repository, counts := range u.counts {
		all := 0
		for _, count := range counts {
			all += count()
		}
		to <- prometheus.MustNewConstMetric(u.desc, prometheus.GaugeValue, float64(all), repository)
	}
}

func (u *undelivered) add(repository string, count func() int) (number int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.counts[repository] == nil {
		u.counts[repository] = map[int]func() int{}
	}
	u.number++
	u.counts[repository][u.number] = count
	return u.number
}

// remove removes an outbox. It reports whether the outbox was the last one of the repository.
func (u *undelivered) remove(repository string, number int) (last bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.counts[repository], number)
	if last = len(u.counts[repository]) == 0; last {
		delete(u.counts, repository)
	}
	return last
}

// Undelivered exports the number of undelivered reports to a forge. The returned function ends that.
func (m *Metrics) Undelivered(repository string, count func() int) (forget func()) {
	repository = printable.Line(repository) // the registry refuses text that is not UTF-8
	number := m.owed.add(repository, count)
	return func() {
		if m.owed.remove(repository, number) {
			m.budget.DeleteLabelValues(repository)
		}
	}
}
