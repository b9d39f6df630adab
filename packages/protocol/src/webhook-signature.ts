/**
 * Verifies `X-Service-Signature` for exactly these bytes: HMAC-SHA256 keyed with the API key's text. Runs in
 * constant time. Returns `false` for any other format.
 */
export async function verifyBody(
  apiKey: string,
  body: string | Uint8Array,
  signature: string,
): Promise<boolean> {
  const match = /^sha256=([0-9a-f]{64})$/.exec(signature)
  return match?.[1] ? isHmac(apiKey, bytesOf(body), readHex(match[1])) : false
}

export async function signBody(apiKey: string, body: string | Uint8Array): Promise<string> {
  return `sha256=${writeHex(await hmac(apiKey, bytesOf(body)))}`
}

export async function signStandard(
  apiKey: string,
  stamp: StandardStamp,
  body: string | Uint8Array,
): Promise<string> {
  return `v1,${writeBase64(await hmac(apiKey, standardContent(stamp, body)))}`
}

/**
 * Signed metadata of Standard Webhooks. `id` is the same for all retries. The time is that of the attempt.
 */
export type StandardStamp = { readonly id: string; readonly timestampSeconds: number }

/**
 * Returns whether a signature in a `webhook-signature` header (Standard Webhooks 1.0.0) is valid, keyed with
 * the API key's bytes.
 */
export async function verifyStandard(
  apiKey: string,
  stamp: StandardStamp,
  body: string | Uint8Array,
  signatures: string,
): Promise<boolean> {
  const content = standardContent(stamp, body)
  for (const signature of signatures.split(' ')) {
    const match = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)
    if (match?.[1] && (await isHmac(apiKey, content, readBase64(match[1])))) return true
  }
  return false
}

/** Returns the secret for Standard Webhooks libraries: `whsec_` and the API key's bytes in base64. */
export function standardSecret(apiKey: string): string {
  return `whsec_${writeBase64(bytesOf(apiKey))}`
}

const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' }

type Bytes = Uint8Array<ArrayBuffer>

async function isHmac(apiKey: string, content: Bytes, signature: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(apiKey), hmacSha256, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, signature, content)
}

async function hmac(apiKey: string, content: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', bytesOf(apiKey), hmacSha256, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
}

function standardContent(stamp: StandardStamp, body: string | Uint8Array): Bytes {
  const head = bytesOf(`${stamp.id}.${stamp.timestampSeconds}.`)
  const tail = bytesOf(body)
  const content = new Uint8Array(head.length + tail.length)
  content.set(head)
  content.set(tail, head.length)
  return content
}

function bytesOf(value: string | Uint8Array): Bytes {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
}

function readHex(hex: string): Bytes {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function writeHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function writeBase64(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
}

function readBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))
}
