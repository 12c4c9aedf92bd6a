package reconcile

// differences tells how the object itself differs, whatever its annotations ignore.
func (p *planner) differences(d *Desired, have *Live[any]) []Change {
	c := p.kinds[d.Key.Kind].Diff(p.view(d, d.Spec), have.State)
	return c.List()
}
