package threeway

// The comparison is git's "histogram" algorithm. It first looks for the rarest lines that both
// texts have, and takes the longest run of common lines around them. Then it compares the parts
// before and after that run. At the end, each change is moved down as far as possible, or to a
// change of the other side. So the same change always gets the same position.

const (
	// maxRepeats is the maximal number of occurrences of a line that can be an anchor.
	maxRepeats = 64
	// maxSteps limits the work of one comparison, in visited lines.
	maxSteps = 50_000_000
)

// compare returns the changes from old to new, in order, and the number of visited lines.
func compare(old, new []int) ([]change, int) {
	d := differ{old: linesOf(old), new: linesOf(new)}
	d.run()
	d.old.settle(&d.new)
	d.new.settle(&d.old)
	return d.changes(), d.steps + d.old.steps + d.new.steps
}

// lines are the lines of one text. changed marks the lines that the other text does not have.
type lines struct {
	ids     []int
	changed []bool
	steps   int
}

func linesOf(ids []int) lines { return lines{ids: ids, changed: make([]bool, len(ids))} }

func (l *lines) mark(s span) {
	for i := s.from; i < s.to; i++ {
		l.changed[i] = true
	}
}

type differ struct {
	old, new lines
	steps    int
}

// region is a part of the old text and a part of the new text that are compared with each other.
type region struct{ old, new span }

// run marks the lines that the two texts do not have in common.
func (d *differ) run() {
	todo := []region{{span{0, len(d.old.ids)}, span{0, len(d.new.ids)}}}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if r.old.from == r.old.to || r.new.from == r.new.to {
			d.mark(r)
			continue
		}
		common, found := d.anchor(r)
		if !found {
			d.mark(common)
			continue
		}
		todo = append(todo,
			region{span{r.old.from, common.old.from}, span{r.new.from, common.new.from}},
			region{span{common.old.to, r.old.to}, span{common.new.to, r.new.to}})
	}
}

func (d *differ) mark(r region) {
	d.old.mark(r.old)
	d.new.mark(r.new)
}

// anchor finds the first common run to use. If there is none, it returns the lines that differ: all
// lines of the region. If the region has common lines, but they repeat too often to choose one, the
// equal lines at both ends of the region are left out.
func (d *differ) anchor(r region) (best region, found bool) {
	if d.steps += r.old.to - r.old.from + r.new.to - r.new.from; d.steps > maxSteps {
		return r, false
	}
	where := map[int][]int{} // the positions of each line in the old text, in ascending order
	for i := r.old.from; i < r.old.to; i++ {
		where[d.old.ids[i]] = append(where[d.old.ids[i]], i)
	}
	rarest, common, length := maxRepeats+1, false, 1
	for j := r.new.from; j < r.new.to; {
		places := where[d.new.ids[j]]
		common = common || len(places) > 0
		next := j + 1
		if len(places) > rarest {
			places = nil
		}
		for end := -1; len(places) > 0; places = places[1:] {
			if places[0] < end {
				continue // this position is inside the run that was just found
			}
			run, rare := d.extend(r, places[0], j, where)
			end, next = run.old.to, max(next, run.new.to)
			if n := run.old.to - run.old.from; n > length || rare < rarest {
				best, length, rarest, found = run, n, rare, true
			}
		}
		if j = next; d.steps > maxSteps {
			return r, false
		}
	}
	if !found || common && rarest > maxRepeats {
		return d.trim(r, common), false
	}
	return best, true
}

// extend extends a pair of equal lines to the longest run of equal lines. rarest is the number of
// occurrences of the rarest line in that run.
func (d *differ) extend(r region, i, j int, where map[int][]int) (run region, rarest int) {
	run = region{span{i, i + 1}, span{j, j + 1}}
	rarest = len(where[d.old.ids[i]])
	for run.old.from > r.old.from && run.new.from > r.new.from && d.old.ids[run.old.from-1] == d.new.ids[run.new.from-1] {
		run.old.from, run.new.from = run.old.from-1, run.new.from-1
		rarest = min(rarest, len(where[d.old.ids[run.old.from]]))
	}
	for run.old.to < r.old.to && run.new.to < r.new.to && d.old.ids[run.old.to] == d.new.ids[run.new.to] {
		rarest = min(rarest, len(where[d.old.ids[run.old.to]]))
		run.old.to, run.new.to = run.old.to+1, run.new.to+1
	}
	d.steps += run.old.to - run.old.from
	return run, rarest
}

// trim returns the region without the equal lines at both ends.
func (d *differ) trim(r region, common bool) region {
	if !common {
		return r
	}
	for r.old.from < r.old.to && r.new.from < r.new.to && d.old.ids[r.old.from] == d.new.ids[r.new.from] {
		r.old.from, r.new.from = r.old.from+1, r.new.from+1
	}
	for r.old.from < r.old.to && r.new.from < r.new.to && d.old.ids[r.old.to-1] == d.new.ids[r.new.to-1] {
		r.old.to, r.new.to = r.old.to-1, r.new.to-1
	}
	return r
}

// changes returns the marked lines as changes. The lines of both texts between two common lines are
// one change.
func (d *differ) changes() (list []change) {
	i, j := 0, 0
	for i < len(d.old.ids) || j < len(d.new.ids) {
		c := change{span{i, i}, span{j, j}}
		for c.old.to < len(d.old.ids) && d.old.changed[c.old.to] {
			c.old.to++
		}
		for c.new.to < len(d.new.ids) && d.new.changed[c.new.to] {
			c.new.to++
		}
		if c.old.from < c.old.to || c.new.from < c.new.to {
			list = append(list, c)
		}
		i, j = c.old.to+1, c.new.to+1
	}
	return list
}
