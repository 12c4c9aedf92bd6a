package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const oneStack = "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec: {source: {url: https://git.example.org/a/b.git}}\n"

func loadAgents(t *testing.T, docs string) (string, []Stack, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stackreeve.yaml")
	if err := os.WriteFile(file, []byte(oneStack+docs), 0o600); err != nil {
		t.Fatal(err)
	}
	stacks, err := Load([]string{file}, nil)
	return filepath.Dir(file), stacks, err
}

func agentsDoc(spec string) string {
	return "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Agents\nmetadata: {name: ours}\nspec: " + spec + "\n"
}

func TestAgents(t *testing.T) {
	dir, stacks, err := loadAgents(t, agentsDoc(`{name: a-1, address: "https://a-1:9464", leaseSeconds: 30, etcd: {endpoints: ["https://e1:2379", "http://127.0.0.1:2379"], caFile: ca.pem, certFile: /c.pem, keyFile: k.pem}}`))
	if err != nil {
		t.Fatal(err)
	}
	a := stacks[0].Agents()
	if a == nil || a.Name != "ours" || a.Spec.Name != "a-1" || a.TTL() != 30*time.Second || a.Spec.Etcd.CAFile != filepath.Join(dir, "ca.pem") || a.Spec.Etcd.CertFile != "/c.pem" {
		t.Errorf("agents: %+v", a)
	}
	if _, stacks, err = loadAgents(t, ""); err != nil || stacks[0].Agents() != nil {
		t.Errorf("without a document: %+v, %v", stacks[0].Agents(), err)
	}
	if _, stacks, err = loadAgents(t, agentsDoc(`{etcd: {endpoints: ["https://e1:2379"]}}`)); err != nil || stacks[0].Agents().TTL() != time.Minute {
		t.Errorf("with defaults: %v", err)
	}
}

func TestAgentsInKubernetes(t *testing.T) {
	if _, stacks, err := loadAgents(t, agentsDoc(`{kubernetesLease: {}}`)); err != nil || *stacks[0].Agents().Spec.Kubernetes != (AgentsKubernetes{}) {
		t.Errorf("in a pod: %v", err)
	}
	dir, stacks, err := loadAgents(t, agentsDoc(`{kubernetesLease: {server: "https://k:6443", namespace: ours, caFile: ca.pem, tokenFile: token, certFile: c, keyFile: /k}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := AgentsKubernetes{"https://k:6443", "ours", filepath.Join(dir, "ca.pem"), filepath.Join(dir, "token"), filepath.Join(dir, "c"), "/k"}
	if got := *stacks[0].Agents().Spec.Kubernetes; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAgentsThatAreRefused(t *testing.T) {
	const fine = `{etcd: {endpoints: ["https://e1:2379"]}}`
	for docs, want := range map[string]string{
		agentsDoc(`{etcd: {endpoints: ["https://e1:2379", "http://e2:2379"]}}`):                "spec.etcd.endpoints[1]",
		agentsDoc(`{etcd: {endpoints: ["https://u:p@e1:2379"]}}`):                              "spec.etcd.endpoints[0]",
		agentsDoc(`{etcd: {endpoints: [""]}}`):                                                 "spec.etcd.endpoints[0]",
		agentsDoc(`{etcd: {}}`):                                                                "spec.etcd.endpoints",
		agentsDoc(`{etcd: {endpoints: ["https://e1:2379"], certFile: c}}`):                     "spec.etcd",
		agentsDoc(`{name: a/b, etcd: {endpoints: ["https://e1:2379"]}}`):                       "spec.name",
		agentsDoc(`{address: "http://a.example.org", etcd: {endpoints: ["https://e1:2379"]}}`): "spec.address",
		agentsDoc(fine) + strings.ReplaceAll(agentsDoc(fine), "ours", "theirs"):                "",
		agentsDoc(`{etcd: {endpoints: ["https://e1:2379"]}, kubernetesLease: {}}`):             "spec",
		agentsDoc(`{name: a-1}`):                                                               "spec",
		agentsDoc(`{kubernetesLease: {server: "https://k:6443"}}`):                             "spec.kubernetesLease.namespace",
		agentsDoc(`{kubernetesLease: {namespace: ../x}}`):                                      "spec.kubernetesLease.namespace",
		agentsDoc(`{kubernetesLease: {server: "http://k:6443", namespace: x}}`):                "spec.kubernetesLease.server",
		agentsDoc(`{kubernetesLease: {certFile: c}}`):                                          "spec.kubernetesLease",
		agentsDoc(`{leaseSeconds: 5, etcd: {endpoints: ["https://e1:2379"]}}`):                 "spec.leaseSeconds",
		agentsDoc(`{etcd: {endpoints: ["https://1","https://2","https://3","https://4","https://5","https://6","https://7","https://8","https://9","https://10"]}}`): "spec.etcd.endpoints",
	} {
		if _, _, err := loadAgents(t, docs); !refuses(err, want) {
			t.Errorf("%s: want a problem of %q, got %v", docs, want, err)
		}
	}
}
