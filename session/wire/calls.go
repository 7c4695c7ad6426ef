package wire

// Lengths of remote calls, in bytes.
const (
	MaxCallName = 128
	MaxArgs     = 256 << 10 // the most a host may be configured for; Limits.Args says what it takes
	MaxReply    = 64 << 10
)

// Status is the outcome of a call. The list is append-only.
type Status byte

// The outcomes. Those from StatusPeerGone on are found out without the other side.
const (
	StatusOK Status = iota
	StatusNoHandler
	StatusHandlerThrew
	StatusNoObject
	StatusNotOwner
	StatusRejected
	StatusRateLimited
	StatusQueueFull
	StatusTooLarge
	StatusPeerGone
	StatusNotReady
	StatusNoOwner
	StatusTimeout
	StatusUnknown
)

var statusNames = [...]string{"ok", "no_handler", "handler_threw", "no_object", "not_owner", "rejected", "rate_limited",
	"queue_full", "too_large", "peer_gone", "not_ready", "no_owner", "timeout", "unknown"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

// RPC calls a function of the other side. Call 0 wants no Result. Object 0 is the session.
type RPC struct {
	Call   uint64
	Object uint64
	Name   string
	Args   []byte
}

// Result answers an RPC.
type Result struct {
	Call   uint64
	Status Status
	Value  []byte
}

// Relayed is an RPC that the host passes on for another peer. It wants no Result.
type Relayed struct {
	From   uint64
	Object uint64
	Name   string
	Args   []byte
}

func (*RPC) Type() Type     { return TypeRPC }
func (*Result) Type() Type  { return TypeResult }
func (*Relayed) Type() Type { return TypeRelayed }

func (f *RPC) fields(c *coder) {
	c.uint(&f.Call)
	c.uint(&f.Object)
	callName(c, &f.Name)
	c.bytes(&f.Args, MaxArgs)
}

func (f *Result) fields(c *coder) {
	c.uint(&f.Call)
	c.u8((*byte)(&f.Status))
	c.bytes(&f.Value, MaxReply)
}

func (f *Relayed) fields(c *coder) {
	c.uint(&f.From)
	c.uint(&f.Object)
	callName(c, &f.Name)
	c.bytes(&f.Args, MaxArgs)
}

func callName(c *coder, name *string) {
	c.text(name, MaxCallName)
	if *name == "" {
		c.fail(ErrValue)
	}
}
