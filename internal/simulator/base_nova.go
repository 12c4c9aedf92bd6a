package simulator

import "github.com/stackreeve/stackreeve/internal/simulator/nova"

// addFlavors adds the public flavors.
func (c *Cloud) addFlavors() {
	for _, f := range []nova.Flavor{
		{ID: "m1-nano", Name: "m1.nano", VCPUs: 1, RAM: 64, Disk: 1},
		{ID: "m1-tiny", Name: "m1.tiny", VCPUs: 1, RAM: 512, Disk: 1},
		{ID: "m1-small", Name: "m1.small", VCPUs: 1, RAM: 2048, Disk: 20},
		{ID: "m1-medium", Name: "m1.medium", VCPUs: 2, RAM: 4096, Disk: 40},
		{ID: "m1-large", Name: "m1.large", VCPUs: 4, RAM: 8192, Disk: 80},
		{ID: "m1-xlarge", Name: "m1.xlarge", VCPUs: 8, RAM: 16384, Disk: 160},
		{ID: "c1-large", Name: "c1.large", VCPUs: 8, RAM: 8192, Disk: 40},
		{ID: "r1-large", Name: "r1.large", VCPUs: 2, RAM: 16384, Disk: 40},
		{ID: "n3-1vcpu-2gb", Name: "n3-1vcpu-2gb", VCPUs: 1, RAM: 2048, Disk: 20},
	} {
		c.Nova.AddFlavor(f)
	}
}
