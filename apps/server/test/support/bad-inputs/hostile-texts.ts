/** Texts for a place in a path where an id stands: none of them is anybody's. */
export const oddIds = [
  ['%20', '%00', 'a%00b', '%ED%A0%80', '%C0%AF', '%F0%9F%92%A9', '%E2%80%AE'],
  ['%2e%2e', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '..%5c..%5cwindows', '%252e%252e%252f', '%2500', '....', 'a.'],
  ['-1', '0x1', '1e3', 'NaN', 'undefined', 'null', '[object%20Object]'],
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
  ['*', '%25', '%27%20OR%201=1--', "';DROP%20TABLE%20receipt;--", '%0d%0aSet-Cookie:%20a=b'],
  ['%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E', '$%7Bjndi:ldap:%2F%2Fx%7D', '%7B%7B7*7%7D%7D'],
  ['R-00000000000000000000000000', '00000000-0000-0000-0000-000000000000', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['a'.repeat(129), 'a'.repeat(4_000), '%61'.repeat(1_300)],
].flat()

/** Texts for a place in a path that cannot even be decoded, or are longer than a path's part may be. */
export const brokenIds = ['%', '%z', '%zz', '%c3%28%', 'a'.repeat(5_000)]

/** What no `limit` may be. */
export const badLimits = [
  ['', '0', '-1', '201', '1000', '99999', '99999999999999999999'],
  ['1e2', '0x10', '0b1', '1.0', '1,0'],
  ['%2B5', '%205', '5%20', '%D9%A3'],
  ['NaN', 'Infinity', 'null', 'true'],
  ['%00', '5%00', '[5]', '%EF%BC%95'],
].flat()

/** Cursors no list ever gave, as lists write theirs. */
export const badCursors = [
  ['1:\0', '1:\u200b', '0:', ':', '1:a\n', '-1:1', ' 1:1'],
  ['1e3:a', "1:' OR 1=1--", '{"__proto__":1}', `${'9'.repeat(30)}:a`],
]
  .flat()
  .map((text) => Buffer.from(text).toString('base64url'))
  .concat(['%00', '%', '=', '!!', '..%2f', "'", 'a'.repeat(3_000)])

/** No webhook may go there in production. */
export const badWebhookUrls = [
  ['http://example.com/hook', 'ftp://example.com/', 'javascript:alert(1)'],
  ['data:text/html,<script>1</script>', 'file:///etc/passwd', 'gopher://127.0.0.1:6379/_'],
  ['//example.com/hook', 'example.com/hook', 'https://', 'https:///hook'],
  ['https://user:pass@example.com/', 'https://user@example.com/'],
  ['https://localhost/hook', 'https://localhost./hook', 'https://LOCALHOST:8443/', 'https://sub.localhost/'],
  ['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/'],
  ['https://0x7f.0.0.1/', 'https://0177.0.0.1/', 'https://0/'],
  ['https://10.0.0.1/', 'https://172.16.0.1/', 'https://192.168.1.1/'],
  ['https://169.254.169.254/latest/meta-data', 'https://100.64.0.1/'],
  ['https://[::1]/', 'https://[::]/', 'https://[fd00::1]/', 'https://[fe80::1]/'],
  ['https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[64:ff9b::7f00:1]/', 'https://[::1'],
  ['https://224.0.0.1/', 'https://255.255.255.255/'],
  ['https://１２７.0.0.1/', 'https://127。0。0。1/', 'https://ⓛocalhost/'],
  [`https://example.com/${'a'.repeat(2_100)}`],
].flat()

/** No buyer is sent there, no picture is loaded from there. */
export const badPageUrls = [
  ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)'],
  ['data:text/html,<script>1</script>', 'data:image/svg+xml,<svg onload=alert(1)>'],
  ['vbscript:msgbox(1)', 'file:///etc/passwd', 'blob:https://example.com/1'],
  ['http://example.com/', '//example.com/', '/relative', 'example.com', 'https://'],
  ['https://user:pass@example.com/', 'https://user@example.com/'],
  ['https://[::1', 'https://exa mple.com/', 'https://%00.example.com/'],
  [`https://example.com/${'a'.repeat(2_100)}`],
].flat()

/** No colours of CSS. */
export const badColours = [
  ['blurple', '#ff', '#fffffffff', '#gggggg', 'ffffff'],
  ['#ffffff;background:url(//x)', '#ffffff</style><script>'],
  ['url(javascript:alert(1))', 'expression(alert(1))', 'var(--x)'],
  [' #ffffff', '#ffffff\n', '＃ffffff'],
].flat()

/** No wallets: 0x and 40 hex digits, in any case, are one. */
export const badWallets = [
  ['0x', '0x0', `0x${'a'.repeat(39)}`, `0x${'a'.repeat(41)}`, `0x${'g'.repeat(40)}`],
  ['a'.repeat(40), `0X${'a'.repeat(40)}`, ` 0x${'a'.repeat(40)}`, `0x${'a'.repeat(40)}\n`],
  [`0x${'ａ'.repeat(40)}`, 'vitalik.eth', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
].flat()

/** Texts that are odd and allowed: they are kept as they are and never become anything else than text. */
export const oddAndAllowed = [
  ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"],
  ['</title></script><svg onload=alert(1)>', '<!--<script>', ']]>&lt;&#x3c;'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template's own signs are what is tried
  ['{{7*7}}${7*7}<%= 7*7 %>', '=HYPERLINK("https://evil.example","x")', '@SUM(1+1)*cmd|calc!A0'],
  ["'; DROP TABLE receipt; --", '$1 $$ \\1 \\', '%s%n%x%00'],
  ['../../../etc/passwd', 'javascript:alert(1)'],
  ['null', '__proto__', 'constructor'],
  ['\ud83d\udca9', 'a\u0301'.repeat(60), '\u00a0\ufeff\u200b.'],
].flat()
