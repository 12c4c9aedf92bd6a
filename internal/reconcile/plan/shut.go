package plan

// Lock says why the cloud refuses changes of the object until somebody unlocks it; "" where it does not.
func (s Step) Lock() string {
	if s.Have == nil {
		return ""
	}
	return s.Have.Locked
}
