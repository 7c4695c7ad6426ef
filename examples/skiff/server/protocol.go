package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what a client may send.
const (
	maxMessage = 1024 // bytes in one frame; the text of a chat line is far below it
	maxName    = 16   // letters
	maxChat    = 140  // letters
	emotes     = 4
	colors     = 8
)

// Close codes of this game beside the standard ones.
const (
	closeRoomFull = 4001 // no place in the room
	closeUnjoined = 4002 // no join message in time, or something else before it
	closeTooSlow  = 4008 // the client's queue is full
)

// Binary frames, little endian. Lengths in sea units are sent as 1/16, angles as 1/256 of a turn.
//
//	client -> server
//	  0x01 position  u8 type, u16 x, u16 y, u8 heading, u8 speed/2          7 bytes, about 20 a second
//	server -> client
//	  0x10 snapshot  u8 type, u32 milliseconds, u8 wind, u8 n,
//	                 n * (u16 id, u16 x, u16 y, u8 heading, u8 speed/2)     7 + 8n bytes, -rate a second
//
// On /ping a binary frame of at most 64 bytes comes back as it went.
const (
	framePosition = 0x01
	frameSnapshot = 0x10

	positionBytes = 7
	snapshotHead  = 7
	snapshotBoat  = 8
	maxPing       = 64
)

type position struct {
	X, Y    float64
	Heading float64 // radians
	Speed   float64 // units a second
}

var errBadFrame = errors.New("bad binary frame")

func parsePosition(b []byte) (position, error) {
	if len(b) != positionBytes || b[0] != framePosition {
		return position{}, errBadFrame
	}
	return position{
		X:       float64(binary.LittleEndian.Uint16(b[1:])) / 16,
		Y:       float64(binary.LittleEndian.Uint16(b[3:])) / 16,
		Heading: byteAngle(b[5]),
		Speed:   float64(b[6]) * 2,
	}, nil
}

func appendBoat(b []byte, id uint16, p position) []byte {
	b = binary.LittleEndian.AppendUint16(b, id)
	b = binary.LittleEndian.AppendUint16(b, packLength(p.X))
	b = binary.LittleEndian.AppendUint16(b, packLength(p.Y))
	return append(b, angleByte(p.Heading), byte(min(max(p.Speed/2, 0), 255)))
}

func packLength(v float64) uint16 { return uint16(min(max(math.Round(v*16), 0), math.MaxUint16)) }

func byteAngle(b byte) float64 { return float64(b) * 2 * math.Pi / 256 }

func angleByte(a float64) byte {
	return byte(int(math.Round(a*256/(2*math.Pi))) & 255)
}

// inMessage is every text frame a client may send: join, chat, emote, ping.
type inMessage struct {
	Type  string  `json:"t"`
	Name  string  `json:"name"`
	Color int     `json:"color"`
	Token string  `json:"token"` // from the welcome of a connection that was lost
	Text  string  `json:"text"`
	Kind  int     `json:"k"`
	At    float64 `json:"at"`
}

func parseText(b []byte) (inMessage, error) {
	var m inMessage
	if !utf8.Valid(b) {
		return m, errors.New("text is not UTF-8")
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("text message: %w", err)
	}
	switch m.Type {
	case "join", "chat", "emote", "ping":
		return m, nil
	}
	return m, fmt.Errorf("unknown message %q", m.Type)
}

// cleanText keeps what can be shown on one line and cuts it to limit letters.
func cleanText(s string, limit int) string {
	var out strings.Builder
	n, space := 0, true
	for _, r := range s {
		if unicode.IsSpace(r) {
			r = ' '
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError || (r == ' ' && space) {
			continue
		}
		if n++; n > limit {
			break
		}
		space = r == ' '
		out.WriteRune(r)
	}
	return strings.TrimSpace(out.String())
}

// What the server says, as JSON text frames. Every message has "t".
type (
	crewMember struct {
		ID    uint16 `json:"id"`
		Name  string `json:"name"`
		Color int    `json:"color"`
		Score int    `json:"score"`
		Bot   bool   `json:"bot,omitempty"`
	}
	welcome struct {
		Type    string       `json:"t"` // welcome
		ID      uint16       `json:"id"`
		Token   string       `json:"token"`
		Room    string       `json:"room"`
		Size    float64      `json:"size"`
		Islands []island     `json:"islands"`
		Buoys   []buoy       `json:"buoys"`
		Crew    []crewMember `json:"crew"`
		X       float64      `json:"x"`
		Y       float64      `json:"y"`
		Score   int          `json:"score"`
		Left    int64        `json:"left"`  // milliseconds of the round
		Round   int64        `json:"round"` // milliseconds of a whole round
	}
	joined struct {
		Type string `json:"t"` // joined
		crewMember
	}
	left struct {
		Type string `json:"t"` // left
		ID   uint16 `json:"id"`
	}
	said struct {
		Type string `json:"t"` // chat
		ID   uint16 `json:"id"`
		Text string `json:"text"`
	}
	emoted struct {
		Type string `json:"t"` // emote
		ID   uint16 `json:"id"`
		Kind int    `json:"k"`
	}
	scored struct {
		Type   string `json:"t"` // score: a boat took a buoy, and a new one lies elsewhere
		ID     uint16 `json:"id"`
		Buoy   int    `json:"buoy"`
		Points int    `json:"points"`
		Combo  int    `json:"combo"`
		Score  int    `json:"score"`
		Next   buoy   `json:"next"`
	}
	roundOver struct {
		Type string       `json:"t"` // round: the old one is over, all scores are 0
		Left int64        `json:"left"`
		Best []crewMember `json:"best"`
	}
	warp struct {
		Type string  `json:"t"` // warp: the position sent was impossible, go back
		X    float64 `json:"x"`
		Y    float64 `json:"y"`
	}
	pong struct {
		Type string  `json:"t"` // pong
		At   float64 `json:"at"`
	}
	roomInfo struct {
		Type  string `json:"t"` // harbour: what /ping tells
		Room  string `json:"room"`
		Boats int    `json:"boats"`
		Crew  int    `json:"crew"` // boats with a person in them
		Max   int    `json:"max"`
		Left  int64  `json:"left"`
	}
)
