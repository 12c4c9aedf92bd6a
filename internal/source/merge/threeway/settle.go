package threeway

// group is a run of changed lines between two common ones, which may be empty.
// Both texts have as many groups: one more than there are common lines.
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

// grow takes in the changed lines that follow.
func (g *group) grow() {
	for g.to < len(g.ids) && g.changed[g.to] {
		g.to++
	}
}

// growUp takes in the changed lines before.
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

// down moves the group one line down, where the text allows to call other
// lines the changed ones, and joins it with what it meets.
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

// up is the contrary of down.
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

// settle gives every group of changed lines its place: as far down as it can
// be moved, or where a group of the other text is, if one is on the way.
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
			return // where it is now is right, too
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
