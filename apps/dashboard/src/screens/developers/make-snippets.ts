import { verifySnippets } from './verify-snippets.ts'

export type SnippetParts = {
  readonly baseUrl: string
  readonly keyName: string
  readonly keyId: string
  readonly keyHint: string
}

export type Snippet = { readonly language: string; readonly code: string }

/** Returns the code that creates a receipt and the code that verifies a webhook, in each language. */
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
      { language: 'TypeScript', code: verifySnippets.typeScript },
      { language: 'Python', code: verifySnippets.python },
      { language: 'PHP', code: verifySnippets.php },
    ],
  }
}

/**
 * Returns a one-line comment with the key's name, without characters that end a comment in any of the
 * languages.
 */
function keyNote({ keyName, keyId, keyHint }: SnippetParts, mark: string): string {
  const name = keyName.replaceAll(/[^\p{L}\p{M}\p{N} ._()-]/gu, '')
  return `${mark} SLUICE_KEY: the key ${keyId} (${keyHint}) of "${name}"`
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
