/** The number behind an answer in hex. @throws where it is none: such a wallet cannot be worked with. */
export function readHex(answer: unknown): bigint {
  if (typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)) return BigInt(answer)
  throw new Error('the wallet returned a value that is not a number')
}

/** A number as JSON-RPC writes it. */
export function writeHex(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** An address or a number as a 32-byte word of call data. */
export function word(value: string | bigint): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()
  return digits.padStart(64, '0')
}
