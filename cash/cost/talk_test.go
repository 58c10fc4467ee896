package cost

import "testing"

// TestHandles: numbers do not depend on what is random.
func TestHandles(t *testing.T) {
	a, b := "art-AAAAAAAAAAAAAAAAAAAAAAAAAA", "art-Z2Y3X4W5V6U7T2S3R4Q5P6O7N2"
	if maskHandles("<"+a+">") != maskHandles("<"+b+">") || maskHandles(a) == a || maskHandles("art-SHORT") != "art-SHORT" {
		t.Errorf("%q, %q, %q", maskHandles(a), maskHandles(b), maskHandles("art-SHORT"))
	}
}
