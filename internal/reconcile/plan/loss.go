package plan

// LosesData is true of a step that loses data which is nowhere else.
func (s Step) LosesData() bool { return s.DataAtStake && s.Action.Writes() }
