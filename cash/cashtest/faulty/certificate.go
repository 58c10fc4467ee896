package faulty

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// An identity is a certificate for 127.0.0.1 that is signed by itself.
type identity struct {
	leaf *x509.Certificate
	pair tls.Certificate
}

func newIdentity(t testing.TB) *identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("making a key: %v", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "faulty"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatalf("making a certificate: %v", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("making a certificate: %v", err)
	}
	return &identity{leaf, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}}
}

// client is the configuration of a client that trusts i and nothing else.
func (i *identity) client() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(i.leaf)
	return &tls.Config{RootCAs: pool}
}

// certificate chooses who the site says it is.
func (s *site) certificate(*tls.ClientHelloInfo) (*tls.Config, error) {
	who := s.trusted
	if s.f.fault() == certificate {
		who = s.untrusted
	}
	return &tls.Config{Certificates: []tls.Certificate{who.pair}}, nil
}
