package defaults

// VolumeType is the type of volumes for a storage class of Kubernetes; "" for the cloud's default. If
// the configuration does not contain the class, note says that the default is used.
func (d Defaults) VolumeType(class string) (name, note string) {
	name, known := d.StorageClasses[class]
	if class != "" && !known {
		note = "is a class of Kubernetes, but spec.defaults.storageClasses in the stack's configuration has no volume type for this class, so the cloud's default type is used"
	}
	return name, note
}
