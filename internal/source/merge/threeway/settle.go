package threeway

// group is a run of changed lines between two common ones, which may be empty. Both texts have the
// same number of groups: one more than the common lines.
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

// grow adds the changed lines that follow.
func (g *group) grow() {
	for g.to < len(g.ids) && g.changed[g.to] {
		g.to++
	}
}

// growUp adds the changed lines before.
func (g *group) growUp() {
	for g.from > 0 && g.changed[g.from-1] {
		g.from--
	}
}

// next goes to the group after this one; false at the end of the text.
func (g *group) next() bool {
	if g.to == len(g.ids) {
		return false
	}
	g.from, g.to = g.to+1, g.to+1
	g.grow()
	return true
}

// previous goes to the group before this one.
func (g *group) previous() {
	g.from, g.to = g.from-1, g.from-1
	g.growUp()
}

// down moves the group one line down, where the text allows other lines to count as the changed
// ones. It joins the group with the one that it meets.
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

// settle gives every group of changed lines its position: as far down as possible, or at a group of
// the other text that it meets.
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
			return // the present position is correct too
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
