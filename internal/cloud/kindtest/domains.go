package kindtest

// Domains are manifests of two domains, shop and store. What they are called in the cloud begins
// with name, which must be the test's own: there are no two domains of one name.
func Domains(name string) string {
	return `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Domain
metadata: {name: shop}
spec: {resource: {name: ` + name + `}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Domain
metadata: {name: store}
spec: {resource: {name: ` + name + `-2}}
`
}
