package simulator

import (
	"bytes"

	"github.com/stackreeve/stackreeve/internal/simulator/glance"
)

// addImages adds the public images, with contents of a few KiB.
func (c *Cloud) addImages(admin string) {
	for i, name := range []string{"cirros", "debian-12", "ubuntu-24.04", "centos79"} {
		size := 8 << 10
		if i == 1 || i == 2 {
			size = 16 << 10
		}
		c.Glance.Create(admin, glance.Spec{Name: name, DiskFormat: "raw", ContainerFormat: "bare", Visibility: "public"},
			bytes.Repeat([]byte(name[:4]), size/4))
	}
}
