/**
 * Code that verifies a webhook's signature and age, as one complete file per language.
 *
 * The guides contain the same code: run `node scripts/write-lists.ts` after a change.
 * `test/docs/webhook-verification.deep.test.ts` runs it.
 */
export const verifySnippets = {
  typeScript: `import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const toleranceSeconds = 300

/** Returns whether the delivery was signed with the key. \`body\` is the raw request body, before any parsing. */
export function isGenuine(key: string, body: Buffer, headers: IncomingHttpHeaders): boolean {
  const header = (name: string) => String(headers[name] ?? '')

  const sent = /^sha256=([0-9a-f]{64})$/.exec(header('x-service-signature'))?.[1]
  const expected = createHmac('sha256', key).update(body).digest()
  if (!sent || !timingSafeEqual(Buffer.from(sent, 'hex'), expected)) return false

  const time = header('webhook-timestamp')
  if (!/^[0-9]{1,12}$/.test(time)) return false
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false
  const stamped = createHmac('sha256', key).update(\`\${header('webhook-id')}.\${time}.\`).update(body).digest()
  return header('webhook-signature')
    .split(' ')
    .map((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1])
    .some((each) => each !== undefined && timingSafeEqual(Buffer.from(each, 'base64'), stamped))
}

// if (!isGenuine(key, body, request.headers)) return response.writeHead(401).end()`,

  python: `import base64
import hashlib
import hmac
import re
import time
from typing import Mapping

TOLERANCE_SECONDS = 300


def is_genuine(key: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Returns whether the delivery was signed with the key. \`body\` is the raw request body, before any parsing."""
    sent_headers = {name.lower(): value for name, value in headers.items()}

    def header(name: str) -> str:
        return sent_headers.get(name, "")

    def digest(content: bytes) -> bytes:
        return hmac.new(key.encode(), content, hashlib.sha256).digest()

    sent = re.fullmatch(r"sha256=([0-9a-f]{64})", header("x-service-signature"))
    if not sent or not hmac.compare_digest(bytes.fromhex(sent[1]), digest(body)):
        return False

    stamp = header("webhook-timestamp")
    if not re.fullmatch(r"[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > TOLERANCE_SECONDS:
        return False
    stamped = digest(f"{header('webhook-id')}.{stamp}.".encode() + body)
    expected = b"v1," + base64.b64encode(stamped)
    return any(hmac.compare_digest(each.encode(), expected) for each in header("webhook-signature").split(" "))


# if not is_genuine(key, request.get_data(), request.headers): abort(401)`,

  php: `<?php

const TOLERANCE_SECONDS = 300;

/** Returns whether the delivery was signed with the key. $body is the raw request body, before any parsing. */
function is_genuine(string $key, string $body, array $headers): bool
{
    $headers = array_change_key_case($headers);
    $header = fn (string $name): string => (string) ($headers[$name] ?? '');

    $sent = $header('x-service-signature');
    if (!preg_match('/^sha256=[0-9a-f]{64}$/D', $sent)) {
        return false;
    }
    if (!hash_equals('sha256=' . hash_hmac('sha256', $body, $key), $sent)) {
        return false;
    }

    $time = $header('webhook-timestamp');
    if (!preg_match('/^[0-9]{1,12}$/D', $time) || abs(time() - (int) $time) > TOLERANCE_SECONDS) {
        return false;
    }
    $content = $header('webhook-id') . '.' . $time . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    $isGenuine = false;
    foreach (explode(' ', $header('webhook-signature')) as $each) {
        $isGenuine = hash_equals($expected, $each) || $isGenuine;
    }
    return $isGenuine;
}

// if (!is_genuine($key, file_get_contents('php://input'), getallheaders())) { http_response_code(401); exit; }`,
}
