package lease

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/kubernetes"
	simulatedetcd "github.com/stackreeve/stackreeve/internal/standin/etcd"
	simulatedkubernetes "github.com/stackreeve/stackreeve/internal/standin/kubernetes"
)

// keys is a store of leases and keys. A test reads and deletes keys in it as no agent does, and makes the store unreachable.
type keys interface {
	http.RoundTripper
	store(t *testing.T, way http.RoundTripper) Store
	Value(key string) []byte
	Names() []string
	Delete(key string)
	Away(away bool)
}

// onEach runs a test with each program that can store leases, in a synctest bubble.
func onEach(t *testing.T, do func(t *testing.T, k keys)) {
	t.Run("etcd", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { do(t, inEtcd{simulatedetcd.NewKeys()}) })
	})
	t.Run("kubernetes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { do(t, inKubernetes{simulatedkubernetes.NewLeases()}) })
	})
}

type inEtcd struct{ *simulatedetcd.Keys }

const prefix = "/test/"

func (k inEtcd) store(t *testing.T, way http.RoundTripper) Store {
	cluster, err := etcd.NewEndpoints([]string{"http://127.0.0.1:2379"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Etcd{cluster.Through(way), prefix}
}

func (k inEtcd) Value(key string) []byte { return k.Keys.Value(prefix + key) }
func (k inEtcd) Delete(key string)       { k.Keys.Delete(prefix + key) }

type inKubernetes struct{ *simulatedkubernetes.Leases }

func (k inKubernetes) store(t *testing.T, way http.RoundTripper) Store {
	all, err := kubernetes.NewLeases("http://127.0.0.1:6443", "stackreeve", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Kubernetes{Leases: all.Through(way), Group: "test"}
}

func (k inKubernetes) Value(key string) []byte {
	for _, notes := range k.Annotations() {
		if notes[keyAnnotation] == key {
			return []byte(notes[valueAnnotation])
		}
	}
	return nil
}

func (k inKubernetes) Names() (names []string) {
	for name, notes := range k.Annotations() {
		if !strings.HasPrefix(name, leasePrefix) {
			names = append(names, notes[keyAnnotation])
		}
	}
	return names
}

func (k inKubernetes) Delete(key string) {
	for name, notes := range k.Annotations() {
		if notes[keyAnnotation] == key {
			k.Leases.Delete(name)
		}
	}
}
