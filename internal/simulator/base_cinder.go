package simulator

// addVolumeTypes adds the public volume types; "fake" is what a volume gets
// that asks for none.
func (c *Cloud) addVolumeTypes() {
	c.Cinder.AddType("__DEFAULT__", "Default Volume Type")
	c.Cinder.AddType("fake", "")
	c.Cinder.AddType("ssd", "")
}
