package plan

// Recording is the step with what a machine bears that it makes by an approval.
func (s Step) Recording() Step {
	if s.Target == "" || s.Viewed == nil {
		return s
	}
	view := *s.Viewed
	view.Mark.Target = s.Target
	s.Viewed = &view
	return s
}
