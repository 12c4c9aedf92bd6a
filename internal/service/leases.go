package service

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/kubernetes"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

// leases opens the store of the leases. With it, agents agree on which agent serves which stack.
func (svc *service) leases(with *config.Agents) (store lease.Store, err error) {
	var secrets []string
	if k := with.Spec.Kubernetes; k != nil {
		store, err = kubernetesLeases(with.Name, *k)
		err, secrets = inField("spec.kubernetesLease", err), []string{k.KeyFile, k.TokenFile}
	} else {
		store, err = etcdLeases(with.Name, *with.Spec.Etcd)
		err, secrets = inField("spec.etcd", err), []string{with.Spec.Etcd.KeyFile}
	}
	for _, file := range secrets {
		if file != "" && localfile.Exposed(file) {
			svc.log.Warn("a file with credentials can be read by everybody on this machine; remove that permission with chmod o-rwx", "file", file)
		}
	}
	return store, err
}

func inField(field string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	return nil
}

func etcdLeases(group string, e config.AgentsEtcd) (lease.Store, error) {
	trust, err := tlsConfig(e.CAFile, e.CertFile, e.KeyFile)
	if err != nil {
		return nil, err
	}
	cluster, err := etcd.NewEndpoints(e.Endpoints, trust)
	return lease.Etcd{Cluster: cluster, Prefix: "/stackreeve/" + group + "/"}, err
}

func kubernetesLeases(group string, k config.AgentsKubernetes) (lease.Store, error) {
	if k.Server == "" {
		if err := inPod(&k, podFiles, os.Getenv); err != nil {
			return nil, err
		}
	}
	trust, err := tlsConfig(k.CAFile, k.CertFile, k.KeyFile)
	if err != nil {
		return nil, err
	}
	var token func() (string, error)
	if k.TokenFile != "" {
		token = func() (string, error) {
			text, err := localfile.Read(k.TokenFile, maxToken)
			return strings.TrimSpace(string(text)), err
		}
		if _, err := token(); err != nil {
			return nil, err
		}
	}
	all, err := kubernetes.NewLeases(k.Server, k.Namespace, trust, token)
	return &lease.Kubernetes{Leases: all, Group: group}, err
}

// podFiles is the folder of the files that Kubernetes puts into a pod (k8s.io/client-go/rest: InClusterConfig).
const (
	podFiles = "/var/run/secrets/kubernetes.io/serviceaccount"
	maxToken = 64 << 10
)

// inPod fills in missing settings with those of the pod that this program runs in.
func inPod(k *config.AgentsKubernetes, files string, env func(string) string) error {
	host, port := env("KUBERNETES_SERVICE_HOST"), env("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return errors.New("server is missing, and the agent does not run in a pod of Kubernetes; set server and namespace, or run the agent in a pod")
	}
	k.Server = "https://" + net.JoinHostPort(host, port)
	if k.CAFile == "" {
		k.CAFile = filepath.Join(files, "ca.crt")
	}
	if k.TokenFile == "" && k.CertFile == "" {
		k.TokenFile = filepath.Join(files, "token")
	}
	if k.Namespace == "" {
		text, err := localfile.Read(filepath.Join(files, "namespace"), maxToken)
		if err != nil {
			return fmt.Errorf("namespace is missing, and the namespace of the pod is not known: %w", err)
		}
		k.Namespace = strings.TrimSpace(string(text))
	}
	return nil
}

// tlsConfig returns the TLS configuration for a server: the certificates that the server is checked with, and the certificate of this agent.
// The agent's certificate is read for each connection.
func tlsConfig(caFile, certFile, keyFile string) (*tls.Config, error) {
	roots, err := certificates(caFile)
	if err != nil {
		return nil, err
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	if certFile == "" {
		return trust, nil
	}
	pair := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		return &pair, err
	}
	_, err = pair(nil)
	trust.GetClientCertificate = pair
	return trust, err
}

// certificates returns the certificates in a file. Without a file it returns nil, which means the certificates of the system.
func certificates(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	text, err := localfile.Read(file, localfile.Certificates)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s contains no certificate in PEM", file)
	}
	return roots, nil
}
