const post = 'POST /api/receipts HTTP/1.1\r\n'
const host = 'Host: 127.0.0.1\r\n'
const json = 'Content-Type: application/json\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'
const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\n${host}${more}\r\n`
const sent = (headers: string, body: string) => `${post}${host}${json}${headers}\r\n${body}`

/**
 * Malformed or ambiguous HTTP requests, to which the server responds with 400 or closes the connection. A
 * header with a merchant's key replaces `{key}`.
 */
export const badFrames: Readonly<Record<string, string>> = {
  'a length and chunks': sent(`{key}Content-Length: 4\r\n${chunked}`, '0\r\n\r\n'),
  'chunks and a length': sent(`{key}${chunked}Content-Length: 4\r\n`, '0\r\n\r\n'),
  'two lengths': sent('{key}Content-Length: 2\r\nContent-Length: 3\r\n', '{}x'),
  'one length twice': sent('{key}Content-Length: 2\r\nContent-Length: 2\r\n', '{}'),
  'a list of lengths': sent('{key}Content-Length: 2, 2\r\n', '{}'),
  'a length below zero': sent('{key}Content-Length: -1\r\n', '{}'),
  'a length with a plus': sent('{key}Content-Length: +2\r\n', '{}'),
  'a length in hex': sent('{key}Content-Length: 0x2\r\n', '{}'),
  'a length of nothing': sent('{key}Content-Length: \r\n', '{}'),
  'a length beyond numbers': sent(`{key}Content-Length: ${'9'.repeat(30)}\r\n`, '{}'),
  'a length larger than is taken': sent('{key}Content-Length: 999999999\r\n', '{'),
  'chunks twice': sent('{key}Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'),
  'packed chunks': sent('{key}Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  'chunks that are packed': sent('{key}Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n'),
  'an unknown coding': sent('{key}Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
  'a coding before its colon': sent('{key}Transfer-Encoding : chunked\r\n', '0\r\n\r\n'),
  'a coding on the next line': sent('{key}Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n'),
  'the identity coding': sent('{key}Transfer-Encoding: identity\r\nContent-Length: 2\r\n', '{}'),
  'a coding in HTTP/1.0': `POST /api/receipts HTTP/1.0\r\n{key}${chunked}\r\n0\r\n\r\n`,
  'a chunk of no size': sent(`{key}${chunked}`, '\r\n{}\r\n0\r\n\r\n'),
  'a chunk of size zz': sent(`{key}${chunked}`, 'zz\r\n{}\r\n0\r\n\r\n'),
  'a chunk below zero': sent(`{key}${chunked}`, '-2\r\n{}\r\n0\r\n\r\n'),
  'a chunk of size 0x2': sent(`{key}${chunked}`, '0x2\r\n{}\r\n0\r\n\r\n'),
  'a chunk beyond numbers': sent(`{key}${chunked}`, `${'F'.repeat(17)}\r\n{}\r\n0\r\n\r\n`),
  'a chunk longer than it says': sent(`{key}${chunked}`, '1\r\n{}\r\n0\r\n\r\n'),
  'a chunk with lines of its own': sent(`{key}${chunked}`, '2\n{}\n0\n\n'),
  'a chunk with much beside it': sent(`{key}${chunked}`, `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
  'lines without a return': `POST /api/receipts HTTP/1.1\nHost: 127.0.0.1\n{key}Content-Length: 2\n\n{}`,
  'a header without a colon': get('/api/receipts', 'nonsense\r\n'),
  'a header without a name': get('/api/receipts', ': x\r\n'),
  'a name with a space': get('/api/receipts', 'a b: x\r\n'),
  'a space before the colon': get('/api/receipts', 'x-a : b\r\n'),
  'a name with NUL': get('/api/receipts', 'x\0: y\r\n'),
  'a value with NUL': get('/api/receipts', 'x-a: b\0c\r\n'),
  'a value with a return': get('/api/receipts', 'x-a: b\rc: d\r\n'),
  'a name in another alphabet': get('/api/receipts', '\xe9: y\r\n'),
  'a folded header': get('/api/receipts', 'x-a: b\r\n c\r\n'),
  'a header of 20,000 signs': get('/api/receipts', `x-a: ${'b'.repeat(20_000)}\r\n`),
  '2,500 headers': get('/api/receipts', Array.from({ length: 2_500 }, (_, i) => `x-${i}: y\r\n`).join('')),
  'a target of 20,000 signs': get(`/api/receipts?${'a'.repeat(20_000)}`),
  'a target with a space': get('/api/rec eipts'),
  'a target with NUL': get('/api/rec\0eipts'),
  'no target': 'GET HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'version 9': 'GET /api/receipts HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n',
  'version ICE': 'GET /api/receipts ICE/1.0\r\nHost: 127.0.0.1\r\n\r\n',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a method of its own': `HACK /api/receipts HTTP/1.1\r\n${host}\r\n`,
  'a method in small letters': `get /api/receipts HTTP/1.1\r\n${host}\r\n`,
  'no method': ` /api/receipts HTTP/1.1\r\n${host}\r\n`,
  'no host': 'GET /api/receipts HTTP/1.1\r\n\r\n',
  'the start of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a connection to elsewhere': `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n`,
}

export const badPaths: readonly string[] = [
  ['//api/receipts', '/api//receipts', '/api/receipts//', '/API/receipts/'],
  ['/API/receipts', '/Api/Receipts', '/api/RECEIPTS'],
  ['/api/./receipts', '/api/x/../receipts', '/x/../api/receipts'],
  ['/api/%2e/receipts', '/api/x/%2e%2e/receipts', '/%2e%2e/api/receipts'],
  ['/api%2freceipts', '/%2fapi/receipts', '/api/receipts%2f'],
  ['/api/receipts%00', '/api/receipts%20', '/api/receipts.', '/api/receipts..', '/api/receipts.json'],
  ['/api/receipts;x=1', '/api;/receipts', '/api\\receipts', '/\\api/receipts'],
  ['/api/receipts%0d%0a', '/api/receipts/%', '/api/receipts/%zz'],
  ['/%', '/api/%c0%af', '/%252e%252e/api/receipts'],
  ['/healthz/../api/receipts', '/assets/../../../../etc/passwd'],
  ['/assets/..%2f..%2f..%2fetc%2fpasswd', '/assets/%2e%2e/%2e%2e/package.json'],
  ['/docs/../package.json', '/docs/%2e%2e%2fpackage.json', '/docs/js/..%2f..%2fpackage.json'],
  ['/.env', '/.git/config', '/data/local.json', '/local.json', '/server-status', '/wp-admin'],
  ['/*', '/api/*', '/api/receipts/__proto__', '/api/__proto__', '/constructor'],
  ['/api/receipts?__proto__[admin]=1&__proto__[admin]=2'],
  [`/${'a/'.repeat(3_000)}`, `/api/${'a'.repeat(6_000)}`],
].flat()

export const oddTexts = [
  ['', ' ', '%00', '%', '%zz', '%ED%A0%80', '%c3%28'],
  ['..%2f..%2fetc%2fpasswd', '../../etc/passwd'],
  ['__proto__', 'constructor', 'toString'],
  ['there', 'status', 'R-00000000000000000000000000'],
  ['a'.repeat(129), 'a'.repeat(5_000)],
  ["';DROP TABLE receipt;--", '%22%3E%3Cscript%3E', '%F0%9F%92%A9'],
  ['-1', '0x', '1e400', 'null', 'NaN', '%E2%80%AE'],
].flat()

export const cursors = [
  ['1:\0', '1:\u200b', '999999999999999:a', '0:', ':', '1:a\n'],
  ['9'.repeat(18) + ':' + '9'.repeat(18), '-1:1', ' 1:1'],
]
  .flat()
  .map((text) => Buffer.from(text).toString('base64url'))

/** Request targets. An odd text replaces `*`, and a merchant's wallet replaces `@`. */
export const paths = [
  ['/api/receipts', '/api/receipts/', '/api/receipts/*', '/api/receipts/status'],
  ['/api/receipts/status?receiptId=*', '/api/receipts?limit=*'],
  ['/api/receipts?cursor=*', '/api/receipts?limit=1&limit=2'],
  ['/api/split/deploy', '/api/split/transactions', '/api/split/transactions?cursor=*'],
  ['/api/split/transactions?address=*&limit=*', '/api/split/withdraw'],
  ['/api/checkout/*', '/api/checkout/*?recipient=*'],
  ['/api/checkout/*/attempts?recipient=*', '/api/checkout/there/attempts?recipient=@'],
  ['/api/checkout/there/hint?recipient=@', '/api/checkout/there?recipient=@'],
  ['/pay/*', '/pay/*?recipient=*', '/pay/there?recipient=@&token=*'],
  ['/pay/there/status?recipient=@', '/pay/*/status', '/pay/*/events'],
  ['/portal/*', '/portal/there?recipient=@&recipient=@'],
  [
    '/assets/*',
    '/local/wallet',
    '/local/merchant-wallet',
    '/local/*',
    '/healthz',
    '/healthz/*',
    '/favicon.ico',
  ],
  ['/*', '//api//receipts', '/api', '/API/RECEIPTS', '/pay/there?__proto__[x]=1'],
].flat()

export const bodies = [
  ...['', '{}', '[]', 'null', '0', '"a"', '{', '{"id":', '\u0000'],
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '['.repeat(40) + ']'.repeat(40),
  '{"id":"x","lineItems":[{"label":"A","priceUsd":1e400}],"totalUsd":1e400}',
  '{"id":"x\\u0000","lineItems":[],"totalUsd":1}',
  '{"id":"\\ud800","lineItems":[{"label":"\\ud800","amount":1}]}',
  '{"id":"x1","lineItems":[{"label":"A","amount":0.1},{"label":"B","amount":-0.1}]}',
  '{"id":"x2","lineItems":[{"label":"A","amount":9999999999999999}]}',
  '{"id":"x3","lineItems":[{"label":"A","priceUsd":1,"qty":1e-320}],"totalUsd":1}',
  '{"id":"x4","lineItems":[{"label":"A","amount":1}],"expiresAt":1e308}',
  '{"id":"x5","lineItems":[{"label":"A","amount":1}],"expiresAt":9007199254740993}',
  '{"id":"x6","lineItems":[{"label":"A","amount":1}],"metadata":{"a":{"__proto__":1}}}',
  '{"id":"x7","lineItems":[{"label":"A","amount":1}],"metadata":{"n":1e400}}',
  '{"id":"x8","lineItems":[{"label":"A","amount":1}],"webhook_url":"http://[::1"}',
  '{"id":"x9","lineItems":[{"label":"A","amount":1}],"webhook_url":"https://user:p@h/"}',
  '{"id":"x10","lineItems":[{"label":"A","amount":1}],"taxRate":1e-7,"taxComponents":["a"]}',
  '{"id":"x11","lineItems":[{"label":"A","amount":1}],"currency":"\u0130"}',
  '{"id":"x12","lineItems":[{"label":"A","amount":1}],"currency":"eur"}',
  `{"id":"x13","lineItems":[${'{"label":"A","amount":0},'.repeat(600)}{"label":"A","amount":1}]}`,
  '{"token":"ETH"}',
  '{"token":"__proto__"}',
  '{"token":"ETH","payer":"0x"}',
  '{"token":"ETH","payer":null}',
  '{"transactionHash":"0x"}',
  '{"transactionHash":7}',
  '{"method":"eth_call","params":[{"to":"0x"}]}',
  '{"method":"eth_sendTransaction","params":[{"to":"0x0000000000000000000000000000000000000000","value":"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}]}',
  '{"method":"toString"}',
  '{"method":"eth_getTransactionReceipt","params":[{}]}',
  `{"x":"${'y'.repeat(300_000)}"}`,
]

export const extraHeaders = [
  '',
  'Expect: 100-continue\r\n',
  'Expect: nonsense\r\n',
  'X-Correlation-Id: a\tb\r\n',
  'X-Correlation-Id: ok\r\nX-Correlation-Id: ok2\r\n',
  'x-wallet: 0x1\r\nwallet: 0x2\r\n',
  'x-edge-secret: wrong\r\n',
  'x-forwarded-for: \xff\r\n',
  'Accept-Encoding: gzip\r\n',
  'Content-Type: text/plain\r\n',
  'Content-Type: application/json; charset=\xff\r\n',
  'Content-Encoding: gzip\r\n',
  'Origin: null\r\n',
  'Cookie: cb_auth_token=x\r\n',
  'Range: bytes=0-1\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'X-HTTP-Method-Override: DELETE\r\n',
  'If-None-Match: *\r\n',
]

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']
