package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// found reads manifests. It returns the fields that have notes, and the types of the volumes.
func found(t *testing.T, text string, d defaults.Defaults) (noted, types []string) {
	t.Helper()
	want, _, err := resolve.Read(file(text), all.Kinds(nil, d))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range want {
		for _, n := range d.Notes {
			noted = append(noted, n.Field)
		}
		if text := fmt.Sprintf("%+v", d.Spec); d.Key.Kind == "Volume" && strings.Contains(text, "ssd") {
			types = append(types, d.Key.Name)
		}
	}
	return noted, types
}

// A Kubernetes storage class becomes the volume type that the configuration gives for it. If the
// configuration gives none, the volume has no type, and the field has a note.
func TestStorageClassesAreMapped(t *testing.T) {
	etcd := `
apiVersion: etcd.database.coreos.com/v1beta2
kind: EtcdCluster
metadata: {name: e}
spec:
  size: 1
  pod: {persistentVolumeClaimSpec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}
  machine: {image: debian, flavor: small}
`
	m3 := `
apiVersion: operator.m3db.io/v1alpha1
kind: M3DBCluster
metadata: {name: m}
spec:
  image: quay.io/m3db/m3dbnode:v1.5.0
  numberOfShards: 8
  isolationGroups: [{name: a, numInstances: 1}]
  replicationFactor: 1
  etcdEndpoints: ["http://etcd-0.etcd:2379"]
  namespaces: [{name: plain, preset: "10s:2d"}]
  dataDirVolumeClaimTemplate: {metadata: {name: data}, spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}
  machine: {image: debian, flavor: small}
`
	const ofEtcd, ofM3 = "spec.pod.persistentVolumeClaimSpec.storageClassName", "spec.dataDirVolumeClaimTemplate.spec.storageClassName"
	d := defaults.Defaults{Network: "private"}
	noted, types := found(t, etcd+"---"+m3, d)
	for _, field := range []string{ofEtcd, ofM3, "spec.etcdEndpoints[0]"} {
		if !slices.Contains(noted, field) {
			t.Errorf("%s is not noted: %v", field, noted)
		}
	}
	if len(types) > 0 {
		t.Errorf("%v have a type that nobody named", types)
	}
	d.StorageClasses = map[string]string{"fast": "ssd"}
	noted, types = found(t, etcd+"---"+m3, d)
	if slices.Contains(noted, ofEtcd) || slices.Contains(noted, ofM3) || len(types) != 2 {
		t.Errorf("volumes of the type that was named: %v; noted: %v", types, noted)
	}
}
