const shortest = 16

/** Returns the encodings of a secret: plain, hex, and base64 of both alphabets at every offset. */
export function formsOf(secret: string): Buffer[] {
  const core = coreOf(secret)
  const bytes = Buffer.from(core)
  const plain = [
    bytes,
    ...(isHex(core) ? [Buffer.from(core.slice(2), 'hex'), Buffer.from(core.slice(2))] : []),
  ]
  const written = plain.flatMap((each) => {
    const hex = each.toString('hex')
    const base64 = [0, 1, 2].map((shift) => insideOfBase64(each, shift))
    return [hex, hex.toUpperCase(), ...base64, ...base64.map(toUrlAlphabet)]
  })
  const forms = [...plain, ...written.map((text) => Buffer.from(text))]
  return forms.filter((form) => form.length >= shortest)
}

/** Returns the confidential part of a secret: a key without prefix and checksum, a token's signature. */
function coreOf(secret: string): string {
  if (/^sk_(live|test)_[0-9A-Za-z]{49}$/.test(secret)) return secret.slice(8, -6)
  if (/^inv_[\w-]{43}$/.test(secret)) return secret.slice(4)
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{43})$/.exec(secret)?.[1]
  return signature ?? secret
}

function isHex(text: string): boolean {
  return /^0x([0-9a-fA-F]{2})+$/.test(text)
}

/**
 * Returns the base64 characters that depend on `bytes` alone, if `shift` bytes precede them in a longer text.
 */
function insideOfBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const end = Math.floor((bytes.length + shift) / 3) * 4
  return text.slice(shift === 0 ? 0 : 4, end)
}

function toUrlAlphabet(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}
