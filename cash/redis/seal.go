package redis

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// A sealer seals what is stored with AES-256-GCM. A nil one stores in the clear.
type sealer struct{ aead cipher.AEAD }

func newSealer(secret []byte) *sealer {
	block, err := aes.NewCipher(derive(secret, "cash seal"))
	if err != nil {
		panic(err) // not reached: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // not reached: AES has blocks of 16 bytes
	}
	return &sealer{aead}
}

// errSeal says that something stored was not sealed with this key for this place.
var errSeal = errors.New("redis: what is stored was not sealed with this Options.Key, or was changed; give all replicas the same key")

// close seals data for a place. It can be opened for the same place only.
func (s *sealer) close(place string, data []byte) []byte {
	if s == nil {
		return data
	}
	return s.aead.Seal(nil, nil, data, []byte(place))
}

// open returns the data that was sealed for a place.
func (s *sealer) open(place string, data []byte) ([]byte, error) {
	if s == nil {
		return data, nil
	}
	plain, err := s.aead.Open(nil, nil, data, []byte(place))
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}
