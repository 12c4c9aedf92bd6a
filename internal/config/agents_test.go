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
	for want, docs := range map[string]string{
		"spec.etcd.endpoints[1]: is not encrypted":          agentsDoc(`{etcd: {endpoints: ["https://e1:2379", "http://e2:2379"]}}`),
		"spec.etcd.endpoints[0]: carries a login":           agentsDoc(`{etcd: {endpoints: ["https://u:p@e1:2379"]}}`),
		"spec.etcd.endpoints[0]: is empty":                  agentsDoc(`{etcd: {endpoints: [""]}}`),
		"spec.etcd.endpoints: missing":                      agentsDoc(`{etcd: {}}`),
		"spec.etcd: has one of certFile and keyFile":        agentsDoc(`{etcd: {endpoints: ["https://e1:2379"], certFile: c}}`),
		"spec.name: \"a/b\" cannot be an agent's name":      agentsDoc(`{name: a/b, etcd: {endpoints: ["https://e1:2379"]}}`),
		"spec.address: is not encrypted":                    agentsDoc(`{address: "http://a.example.org", etcd: {endpoints: ["https://e1:2379"]}}`),
		"the agents are configured at":                      agentsDoc(fine) + strings.ReplaceAll(agentsDoc(fine), "ours", "theirs"),
		"spec: has to have one of etcd and kubernetesLease": agentsDoc(`{etcd: {endpoints: ["https://e1:2379"]}, kubernetesLease: {}}`),
		"of etcd and kubernetesLease, where":                agentsDoc(`{name: a-1}`),
		"spec.kubernetesLease.namespace: is missing":        agentsDoc(`{kubernetesLease: {server: "https://k:6443"}}`),
		"\"../x\" cannot be the name of a namespace":        agentsDoc(`{kubernetesLease: {namespace: ../x}}`),
		"spec.kubernetesLease.server: is not encrypted":     agentsDoc(`{kubernetesLease: {server: "http://k:6443", namespace: x}}`),
		"spec.kubernetesLease: has one of certFile":         agentsDoc(`{kubernetesLease: {certFile: c}}`),
		"spec.leaseSeconds":                                 agentsDoc(`{leaseSeconds: 5, etcd: {endpoints: ["https://e1:2379"]}}`),
		"spec.etcd.endpoints: 10 elements":                  agentsDoc(`{etcd: {endpoints: ["https://1","https://2","https://3","https://4","https://5","https://6","https://7","https://8","https://9","https://10"]}}`),
	} {
		if _, _, err := loadAgents(t, docs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
