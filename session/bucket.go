package session

import "time"

// bucket is a token bucket: rate a second, at most burst at once.
type bucket struct {
	rate, burst float64
	have        float64
	at          time.Time
}

func newBucket(rate, burst int, now time.Time) bucket {
	return bucket{float64(rate), float64(burst), float64(burst), now}
}

// take says whether n are left, and takes them. What is more than is left empties it.
func (b *bucket) take(n int, now time.Time) bool {
	if since := now.Sub(b.at).Seconds(); since > 0 {
		b.have = min(b.burst, b.have+since*b.rate)
		b.at = now
	}
	if b.have < float64(n) {
		b.have = 0
		return false
	}
	b.have -= float64(n)
	return true
}

// fill makes it full: what came late through no fault of the sender is not held against it.
func (b *bucket) fill() { b.have = b.burst }
