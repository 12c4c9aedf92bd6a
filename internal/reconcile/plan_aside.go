package reconcile

// split takes the changes apart that are left alone.
func (o Options) split(list []Change) (differs, ignored []Change) {
	for _, c := range list {
		if o.ignores(c.Field) {
			ignored = append(ignored, c)
		} else {
			differs = append(differs, c)
		}
	}
	return differs, ignored
}

// differences tells how the object itself differs, whatever its annotations ignore.
func (p *planner) differences(d *Desired, have *Live[any]) []Change {
	c := p.kinds[d.Key.Kind].diff(p.view(d, d.Spec), have.State)
	return c.list
}
