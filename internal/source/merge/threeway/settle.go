package threeway

// group is a run of changed lines between two common lines; it may be empty. Both texts have the
// same number of groups, because they have the same number of common lines.
type group struct {
	*lines
	span
}

func (l *lines) first() group {
	g := group{lines: l}
	g.grow()
	return g
}

func (g *group) empty() bool { return g.from == g.to }

// grow adds the changed lines that follow the group.
func (g *group) grow() {
	for g.to < len(g.ids) && g.changed[g.to] {
		g.to++
	}
}

// growUp adds the changed lines before the group.
func (g *group) growUp() {
	for g.from > 0 && g.changed[g.from-1] {
		g.from--
	}
}

// next moves to the group after this one. It returns false at the end of the text.
func (g *group) next() bool {
	if g.to == len(g.ids) {
		return false
	}
	g.from, g.to = g.to+1, g.to+1
	g.grow()
	return true
}

// previous moves to the group before this one.
func (g *group) previous() {
	g.from, g.to = g.from-1, g.from-1
	g.growUp()
}

// down moves the group one line down. That is possible if the first line of the group equals the
// line after it, because then either of them can count as changed. down adds the next group if the
// two groups touch. It returns false if the group cannot be moved.
func (g *group) down() bool {
	if g.to == len(g.ids) || g.ids[g.from] != g.ids[g.to] {
		return false
	}
	g.steps++
	g.changed[g.from], g.changed[g.to] = false, true
	g.from, g.to = g.from+1, g.to+1
	g.grow()
	return true
}

// up is the inverse of down.
func (g *group) up() bool {
	if g.from == 0 || g.ids[g.from-1] != g.ids[g.to-1] {
		return false
	}
	g.steps++
	g.from, g.to = g.from-1, g.to-1
	g.changed[g.from], g.changed[g.to] = true, false
	g.growUp()
	return true
}

// settle moves every group of changed lines to its final position: as far down as possible, or
// beside a group of the other text.
func (l *lines) settle(other *lines) {
	g, o := l.first(), other.first()
	for {
		if !g.empty() {
			place(&g, &o)
		}
		if !g.next() {
			return
		}
		o.next()
	}
}

func place(g, o *group) {
	var highest int
	var meets bool
	for size := -1; size != g.to-g.from; {
		if g.steps > maxSteps {
			return // the present position is correct, too
		}
		size = g.to - g.from
		for g.up() {
			o.previous()
		}
		highest, meets = g.to, !o.empty()
		for g.down() {
			o.next()
			meets = meets || !o.empty()
		}
	}
	if g.to == highest || !meets {
		return
	}
	for o.empty() {
		g.up()
		o.previous()
	}
}
