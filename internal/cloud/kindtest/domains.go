package kindtest

// Domains are manifests of two domains, shop and store. Their names in the cloud start with name,
// which must be unique to the test: two domains cannot have the same name.
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
