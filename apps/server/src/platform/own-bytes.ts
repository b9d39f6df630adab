/**
 * The same bytes in memory of their own, for what is kept for long.
 *
 * Node cuts short buffers out of blocks of 64 kB, and a block stays as long as anything of it does: an answer of 40 bytes
 * that is kept by itself would take 64 kB, whatever is counted for it.
 */
export function ownBytes(bytes: Uint8Array): Buffer {
  if (bytes.byteLength === bytes.buffer.byteLength) return Buffer.from(bytes.buffer as ArrayBuffer)
  const own = Buffer.allocUnsafeSlow(bytes.byteLength)
  own.set(bytes)
  return own
}
