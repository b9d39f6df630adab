/** For any place in a URL where a text stands. */
export const oddTexts = [
  ['', ' ', '%00', '%', '%zz', '%ED%A0%80', '%c3%28'],
  ['..%2f..%2fetc%2fpasswd', '../../etc/passwd'],
  ['__proto__', 'constructor', 'toString'],
  ['there', 'status', 'R-00000000000000000000000000'],
  ['a'.repeat(129), 'a'.repeat(5_000)],
  ["';DROP TABLE receipt;--", '%22%3E%3Cscript%3E', '%F0%9F%92%A9'],
  ['-1', '0x', '1e400', 'null', 'NaN', '%E2%80%AE'],
].flat()

/** Cursors no list ever gave, as lists write theirs. */
export const cursors = [
  ['1:\0', '1:\u200b', '999999999999999:a', '0:', ':', '1:a\n'],
  ['9'.repeat(18) + ':' + '9'.repeat(18), '-1:1', ' 1:1'],
]
  .flat()
  .map((text) => Buffer.from(text).toString('base64url'))
/** Where requests go: `*` stands for an odd text, `@` for a merchant's wallet. */
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

/** Bodies for any route, most of them meant for one. */
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

/** Header lines beside the ordinary ones. */
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

/** Methods, most of which nothing here has. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']
