/** What a snippet is made for. */
export type SnippetParts = {
  readonly baseUrl: string
  readonly keyName: string
  readonly keyId: string
  readonly keyHint: string
}

/** A text in a language of programs. */
export type Snippet = { readonly language: string; readonly code: string }

/** How a receipt is made, and how a webhook is told from a forgery: each in four languages. */
export function makeSnippets(parts: SnippetParts): {
  readonly make: readonly Snippet[]
  readonly verify: readonly Snippet[]
} {
  return {
    make: [
      { language: 'curl', code: curl(parts) },
      { language: 'TypeScript', code: typeScript(parts) },
      { language: 'Python', code: python(parts) },
      { language: 'PHP', code: php(parts) },
    ],
    verify: [
      { language: 'TypeScript', code: verifyTypeScript },
      { language: 'Python', code: verifyPython },
      { language: 'PHP', code: verifyPhp },
    ],
  }
}

/** A comment on one line: a name may hold whatever somebody typed. */
function keyNote({ keyName, keyId, keyHint }: SnippetParts, mark: string): string {
  return `${mark} SLUICE_KEY: the key ${keyId} (${keyHint}) of ${JSON.stringify(keyName)}`
}

function curl(parts: SnippetParts): string {
  return `${keyNote(parts, '#')}
curl -sS --fail-with-body '${parts.baseUrl}/api/receipts' \\
  -H "Ocp-Apim-Subscription-Key: $SLUICE_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{ "id": "order-1001", "currency": "USD", "lineItems": [{ "label": "Espresso beans", "amount": 38 }] }'`
}

function typeScript(parts: SnippetParts): string {
  return `${keyNote(parts, '//')}
const answer = await fetch('${parts.baseUrl}/api/receipts', {
  method: 'POST',
  headers: {
    'Ocp-Apim-Subscription-Key': process.env.SLUICE_KEY ?? '',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    id: 'order-1001',
    currency: 'USD',
    lineItems: [{ label: 'Espresso beans', amount: 38 }],
  }),
})
if (!answer.ok) throw new Error(await answer.text())
const { paymentUrl } = await answer.json()`
}

function python(parts: SnippetParts): string {
  return `${keyNote(parts, '#')}
import json
import os
import urllib.request

request = urllib.request.Request(
    "${parts.baseUrl}/api/receipts",
    data=json.dumps({
        "id": "order-1001",
        "currency": "USD",
        "lineItems": [{"label": "Espresso beans", "amount": 38}],
    }).encode(),
    headers={
        "Ocp-Apim-Subscription-Key": os.environ["SLUICE_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    payment_url = json.load(answer)["paymentUrl"]`
}

function php(parts: SnippetParts): string {
  return `<?php
${keyNote(parts, '//')}
$answer = file_get_contents('${parts.baseUrl}/api/receipts', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Ocp-Apim-Subscription-Key: ' . getenv('SLUICE_KEY'),
        'Content-Type: application/json',
    ],
    'content' => json_encode([
        'id' => 'order-1001',
        'currency' => 'USD',
        'lineItems' => [['label' => 'Espresso beans', 'amount' => 38]],
    ]),
]]));
$paymentUrl = json_decode($answer, true)['paymentUrl'];`
}

const verifyTypeScript = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** \`body\` is what was received, before any parsing. */
export function isGenuine(key: string, body: Buffer, signature: string): boolean {
  const sent = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1]
  const expected = createHmac('sha256', key).update(body).digest()
  return sent !== undefined && timingSafeEqual(Buffer.from(sent, 'hex'), expected)
}

// isGenuine(process.env.SLUICE_KEY, body, request.headers['x-service-signature'])`

const verifyPython = `import hashlib
import hmac


def is_genuine(key: str, body: bytes, signature: str) -> bool:
    """\`body\` is what was received, before any parsing."""
    expected = "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


# is_genuine(os.environ["SLUICE_KEY"], body, request.headers["X-Service-Signature"])`

const verifyPhp = `<?php
/** $body is what was received, before any parsing. */
function is_genuine(string $key, string $body, string $signature): bool {
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $key), $signature);
}

// is_genuine(getenv('SLUICE_KEY'), file_get_contents('php://input'), $_SERVER['HTTP_X_SERVICE_SIGNATURE'])`
