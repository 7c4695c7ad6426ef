// Package wire is the session's wire format: frames, their bodies, and the values inside. docs/protocol.md describes it
// for those who write another client; session/testdata/vectors.json holds bytes that every implementation must agree on.
//
// One WebSocket message holds one or more frames back to back. A frame is a type byte, a flags byte, the length of its
// body as a varuint, and the body. A body may grow at its end in later versions: readers ignore what follows the fields
// they know. A frame of an unknown type is ignored when its skippable flag is set and is an error otherwise.
package wire

import (
	"errors"
	"fmt"
)

// Version is the one version of the protocol there is.
const Version = 1

// Subprotocol is what a client offers and a host chooses in the WebSocket handshake.
const Subprotocol = "conch.session.1"

// Path is where a host takes WebSocket handshakes.
const Path = "/_conch/session"

// Type says what a frame is. The list is append-only.
type Type byte

// The types of frames. C is the client, H the session host.
const (
	TypeHello     Type = 1  // C to H
	TypeChallenge Type = 2  // H to C
	TypeAuth      Type = 3  // C to H
	TypeWelcome   Type = 4  // H to C
	TypeReject    Type = 5  // H to C
	TypePing      Type = 6  // both
	TypePong      Type = 7  // both
	TypeBye       Type = 8  // both
	TypeLoad      Type = 10 // H to C
	TypeLoaded    Type = 11 // C to H
	TypeActivate  Type = 12 // H to C
	TypeNames     Type = 19 // H to C
	TypeSnapBegin Type = 20 // H to C
	TypeSnapPart  Type = 21 // H to C
	TypeSnapEnd   Type = 22 // H to C
	TypeDelta     Type = 23 // H to C
	TypeSpawn     Type = 24 // H to C
	TypeDespawn   Type = 25 // H to C
	TypeOwner     Type = 26 // H to C
	TypeResync    Type = 27 // C to H
	TypeCheck     Type = 28 // H to C
	TypeRPC       Type = 30 // both
	TypeResult    Type = 31 // both
	TypeRelayed   Type = 32 // H to C
)

// FlagSkippable marks a frame that a reader who does not know its type may ignore. The other flags are reserved and
// must be zero.
const FlagSkippable = 1

// Frame is one of the frame types of this package.
type Frame interface {
	Type() Type
	fields(c *coder)
}

// MaxUint is the largest varuint: what a JavaScript number holds exactly.
const MaxUint = 1<<53 - 1

// Errors of the decoders.
var (
	ErrTruncated = errors.New("frame is cut short")
	ErrUnknown   = errors.New("unknown frame")
	ErrFlags     = errors.New("reserved flags are set")
	ErrVaruint   = errors.New("not a valid varuint")
	ErrTooLong   = errors.New("longer than allowed")
	ErrText      = errors.New("text is not UTF-8")
	ErrBool      = errors.New("neither 0 nor 1")
	ErrValue     = errors.New("value is not allowed")
)

// Append adds f as a whole frame to b. It does not check lengths: the caller has done so.
func Append(b []byte, f Frame) []byte {
	c := coder{b: make([]byte, 0, 64)}
	f.fields(&c)
	return AppendRaw(b, Raw{Type: f.Type(), Body: c.b})
}

// AppendRaw adds a frame whose body is encoded already.
func AppendRaw(b []byte, r Raw) []byte {
	b = append(b, byte(r.Type), r.Flags)
	b = appendUint(b, uint64(len(r.Body)))
	return append(b, r.Body...)
}

// Raw is a frame whose body was not looked at. Body points into the message.
type Raw struct {
	Type  Type
	Flags byte
	Body  []byte
}

// Next splits the first frame off a message.
func Next(message []byte) (r Raw, rest []byte, err error) {
	c := coder{b: message, reading: true}
	kind, flags := c.byte(), c.byte()
	length := c.readUint()
	if c.err != nil {
		return Raw{}, nil, c.err
	}
	if flags&^FlagSkippable != 0 {
		return Raw{}, nil, fmt.Errorf("frame %d: %w", kind, ErrFlags)
	}
	if length > uint64(len(c.b)) {
		return Raw{}, nil, fmt.Errorf("frame %d: %w", kind, ErrTruncated)
	}
	return Raw{Type(kind), flags, c.b[:length:length]}, c.b[length:], nil
}

// Parse reads the body. Byte fields of the result point into the message. It returns nil and no error for an unknown
// frame that may be skipped.
func (r Raw) Parse() (Frame, error) {
	f := newFrame(r.Type)
	if f == nil {
		if r.Flags&FlagSkippable != 0 {
			return nil, nil
		}
		return nil, fmt.Errorf("frame %d: %w", r.Type, ErrUnknown)
	}
	c := coder{b: r.Body, reading: true}
	f.fields(&c)
	if c.err != nil {
		return nil, fmt.Errorf("frame %d: %w", r.Type, c.err)
	}
	return f, nil
}

// Decode reads all frames of a message and leaves out those that may be skipped.
func Decode(message []byte) ([]Frame, error) {
	if len(message) == 0 {
		return nil, ErrTruncated
	}
	var all []Frame
	for len(message) > 0 {
		raw, rest, err := Next(message)
		if err != nil {
			return nil, err
		}
		f, err := raw.Parse()
		if err != nil {
			return nil, err
		}
		if f != nil {
			all = append(all, f)
		}
		message = rest
	}
	return all, nil
}

func newFrame(t Type) Frame {
	switch t {
	case TypeHello:
		return new(Hello)
	case TypeChallenge:
		return new(Challenge)
	case TypeAuth:
		return new(Auth)
	case TypeWelcome:
		return new(Welcome)
	case TypeReject:
		return new(Reject)
	case TypePing:
		return new(Ping)
	case TypePong:
		return new(Pong)
	case TypeBye:
		return new(Bye)
	case TypeLoad:
		return new(Load)
	case TypeLoaded:
		return new(Loaded)
	case TypeActivate:
		return new(Activate)
	case TypeNames:
		return new(Names)
	case TypeSnapBegin:
		return new(SnapBegin)
	case TypeSnapPart:
		return new(SnapPart)
	case TypeSnapEnd:
		return new(SnapEnd)
	case TypeDelta:
		return new(Delta)
	case TypeSpawn:
		return new(Spawn)
	case TypeDespawn:
		return new(Despawn)
	case TypeOwner:
		return new(Owner)
	case TypeResync:
		return new(Resync)
	case TypeCheck:
		return new(Check)
	case TypeRPC:
		return new(RPC)
	case TypeResult:
		return new(Result)
	case TypeRelayed:
		return new(Relayed)
	}
	return nil
}
