package simulator

// addVolumeTypes adds the public volume types. A volume gets the type "fake" if
// its request names none.
func (c *Cloud) addVolumeTypes() {
	c.Cinder.AddType("__DEFAULT__", "Default Volume Type")
	c.Cinder.AddType("fake", "")
	c.Cinder.AddType("ssd", "")
}
