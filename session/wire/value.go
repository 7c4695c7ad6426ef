package wire

import (
	"fmt"
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

// Limits of one value.
const (
	MaxNesting  = 16
	MaxElements = 4096 // of one array or map
)

// EncodeValue makes the bytes of a value: nil, bool, integers within ±MaxUint, floats, strings of UTF-8, []byte, []any
// and map[string]any of the same. The form is CBOR (RFC 8949) with definite lengths, keys in bytewise order, no tags.
func EncodeValue(v any) ([]byte, error) {
	b, _, err := CopyValue(v)
	return b, err
}

// CopyValue is EncodeValue, with what a reader makes of the bytes.
func CopyValue(v any) (b []byte, read any, err error) {
	if b, err = encoding.Marshal(v); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	if len(b) > MaxValue {
		return nil, nil, fmt.Errorf("value of %d bytes: %w", len(b), ErrTooLong)
	}
	if read, err = DecodeValue(b); err != nil { // what we would refuse from others
		return nil, nil, err
	}
	return b, read, nil
}

// DecodeValue reads exactly one value. Integers become int64, floats of any width float64.
func DecodeValue(b []byte) (any, error) {
	v, rest, err := firstValue(b)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: %d bytes after it", ErrValue, len(rest))
	}
	return v, err
}

func firstValue(b []byte) (v any, rest []byte, err error) {
	rest, err = decoding.UnmarshalFirst(b, &v)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrValue, err)
	}
	if len(b)-len(rest) > MaxValue {
		return nil, nil, ErrTooLong
	}
	if !allowed(v) {
		return nil, nil, ErrValue
	}
	return v, rest, nil
}

// allowed refuses integers that a JavaScript number does not hold.
func allowed(v any) bool {
	switch v := v.(type) {
	case int64:
		return -MaxUint <= v && v <= MaxUint
	case []any:
		for _, e := range v {
			if !allowed(e) {
				return false
			}
		}
	case map[string]any:
		for _, e := range v {
			if !allowed(e) {
				return false
			}
		}
	case nil, bool, float64, string, []byte:
	default:
		return false
	}
	return true
}

// value codes one value that ends by itself.
func (c *coder) value(raw *[]byte, v *any) {
	if !c.reading {
		c.b = append(c.b, *raw...)
		return
	}
	if c.err != nil {
		return
	}
	decoded, rest, err := firstValue(c.b)
	if err != nil {
		c.fail(err)
		return
	}
	n := len(c.b) - len(rest)
	*raw, *v, c.b = c.b[:n:n], decoded, rest
}

var encoding, decoding = func() (cbor.EncMode, cbor.DecMode) {
	e, err := cbor.EncOptions{
		Sort:          cbor.SortBytewiseLexical,
		ShortestFloat: cbor.ShortestFloat16,
		IndefLength:   cbor.IndefLengthForbidden,
		TagsMd:        cbor.TagsForbidden,
	}.EncMode()
	if err != nil {
		panic(err) // constants
	}
	var refused []func(*cbor.SimpleValueRegistry) error
	for n := range 256 {
		if n <= 19 || n == 23 || n >= 32 { // all but false, true, null; 23 is undefined, 24 to 31 cannot occur
			refused = append(refused, cbor.WithRejectedSimpleValue(cbor.SimpleValue(n)))
		}
	}
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(refused...)
	if err != nil {
		panic(err)
	}
	d, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  MaxNesting,
		MaxArrayElements: MaxElements,
		MaxMapPairs:      MaxElements,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		IntDec:           cbor.IntDecConvertSignedOrFail,
		DefaultMapType:   reflect.TypeFor[map[string]any](),
		UTF8:             cbor.UTF8RejectInvalid,
		SimpleValues:     simple,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return e, d
}()
