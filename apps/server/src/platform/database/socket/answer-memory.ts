/** As much as a read of a socket may bring; most answers are smaller. */
const usualBytes = 64 * 1024
/** What is kept for the next answer; what a larger one needed is given back after it. */
const mostKeptBytes = 256 * 1024
/** With less room than this a large answer would come in small pieces. */
const leastRoomBytes = 16 * 1024
/** A message is its kind, one byte, and its length without that, four. */
const headBytes = 5

/**
 * The memory that a connection's answers are read into, one after the other. What a read brings is handed on up to the
 * end of its last whole message; the rest stays, and the next read is put behind it.
 */
export class AnswerMemory {
  #memory = Buffer.allocUnsafeSlow(usualBytes)
  /** How much of a message has come that is not whole yet; it begins at the beginning. */
  #held = 0

  /** Where the next read is put. */
  room(): Buffer {
    return this.#memory.subarray(this.#held)
  }

  /**
   * Takes in what was read into `room()`.
   *
   * @param handOn - Gets whole messages, which are gone when it returns.
   */
  take(count: number, handOn: (messages: Buffer) => void): void {
    const memory = this.#memory
    const end = this.#held + count
    const whole = endOfWhole(memory, end)
    this.#held = end - whole
    try {
      if (whole > 0) handOn(memory.subarray(0, whole))
    } finally {
      this.#keep(memory.subarray(whole, end))
    }
  }

  /** Puts the beginning of a message where the rest of it finds room. */
  #keep(rest: Buffer): void {
    const size = this.#memory.length
    const isNearlyFull = rest.length > size - leastRoomBytes
    const isDoneWithLarge = size > mostKeptBytes && rest.length < usualBytes / 2
    if (isNearlyFull || isDoneWithLarge)
      this.#memory = Buffer.allocUnsafeSlow(isNearlyFull ? 2 * size : usualBytes)
    rest.copy(this.#memory)
  }
}

/** Where the last whole message ends of what is there up to `end`. */
function endOfWhole(memory: Buffer, end: number): number {
  let at = 0
  while (at + headBytes <= end) {
    const next = at + 1 + memory.readUInt32BE(at + 1)
    if (next > end) break
    at = next
  }
  return at
}
