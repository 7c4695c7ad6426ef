/**
 * The binary frames; server/protocol.go says the same. Lengths travel as 1/16 of a sea unit, angles as
 * 1/256 of a turn, speeds halved; little endian.
 */

const POSITION = 0x01
const SNAPSHOT = 0x10

const out = new DataView(new ArrayBuffer(7))

/**
 * The frame's buffer is used again at the next call; send copies it at once.
 * @param {{x: number, y: number, h: number, v: number}} boat
 */
export function positionFrame(boat) {
  out.setUint8(0, POSITION)
  out.setUint16(1, Math.max(0, Math.round(boat.x * 16)), true)
  out.setUint16(3, Math.max(0, Math.round(boat.y * 16)), true)
  out.setUint8(5, Math.round((boat.h * 256) / (2 * Math.PI)) & 255)
  out.setUint8(6, Math.min(255, boat.v / 2))
  return out
}

/**
 * @param {ArrayBuffer} buffer
 * @param {(id: number, x: number, y: number, h: number, v: number) => void} each
 * @returns {{at: number, wind: number} | null} null when it is no snapshot
 */
export function readSnapshot(buffer, each) {
  const view = new DataView(buffer)
  if (view.byteLength < 7 || view.getUint8(0) !== SNAPSHOT) return null
  const n = view.getUint8(6)
  if (view.byteLength !== 7 + 8 * n) return null
  for (let i = 0, o = 7; i < n; i++, o += 8) {
    each(
      view.getUint16(o, true),
      view.getUint16(o + 2, true) / 16,
      view.getUint16(o + 4, true) / 16,
      angle(view.getUint8(o + 6)),
      view.getUint8(o + 7) * 2,
    )
  }
  return { at: view.getUint32(1, true), wind: angle(view.getUint8(5)) }
}

function angle(byte) { return (byte * 2 * Math.PI) / 256 }

/** A ping is any small frame; this one carries the time it left. */
export function pingFrame(now) { return new Float64Array([now]) }

/** @param {ArrayBuffer} buffer */
export function pingTime(buffer) { return new Float64Array(buffer)[0] }
