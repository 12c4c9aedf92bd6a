package sops

import "errors"

var errShares = errors.New("the shares of the data key do not belong together")

// combine recovers a secret from shares. Each byte of the secret is the value at 0 of a polynomial over GF(2^8). A share
// has the values of the polynomials at one place, followed by that place.
func combine(shares [][]byte) ([]byte, error) {
	size := len(shares[0]) - 1
	places := make([]byte, len(shares))
	seen := [256]bool{0: true} // a share at 0 would be the secret itself
	for i, share := range shares {
		if len(share) != size+1 || size < 1 || seen[share[size]] {
			return nil, errShares
		}
		places[i] = share[size]
		seen[places[i]] = true
	}
	secret := make([]byte, size)
	for i, share := range shares {
		weight := byte(1)
		for j, place := range places {
			if j != i {
				weight = multiply(weight, multiply(place, invert(places[i]^place)))
			}
		}
		for at := range secret {
			secret[at] ^= multiply(share[at], weight)
		}
	}
	return secret, nil
}

// multiply multiplies in GF(2^8) with the polynomial of AES.
func multiply(a, b byte) (product byte) {
	for ; b > 0; b >>= 1 {
		product ^= a * (b & 1)
		a = a<<1 ^ 0x1b*(a>>7)
	}
	return product
}

// invert returns the 254th power, by which a number of GF(2^8) has to be multiplied to get 1.
func invert(a byte) byte {
	inverse, square := byte(1), a
	for range 7 {
		square = multiply(square, square)
		inverse = multiply(inverse, square)
	}
	return inverse
}
