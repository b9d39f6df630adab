export const badLimits = [
  ['', '0', '-1', '201', '1000', '99999', '99999999999999999999'],
  ['1e2', '0x10', '0b1', '1.0', '1,0'],
  ['%2B5', '%205', '5%20', '%D9%A3'],
  ['NaN', 'Infinity', 'null', 'true'],
  ['%00', '5%00', '[5]', '%EF%BC%95'],
].flat()

export const badCursors = [
  ['1:\0', '1:\u200b', '0:', ':', '1:a\n', '-1:1', ' 1:1'],
  ['1e3:a', "1:' OR 1=1--", '{"__proto__":1}', `${'9'.repeat(30)}:a`],
]
  .flat()
  .map((text) => Buffer.from(text).toString('base64url'))
  .concat(['%00', '%', '=', '!!', '..%2f', "'", 'a'.repeat(3_000)])

/** URLs that are invalid for webhooks in production. */
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

export const badWallets = [
  ['0x', '0x0', `0x${'a'.repeat(39)}`, `0x${'a'.repeat(41)}`, `0x${'g'.repeat(40)}`],
  ['a'.repeat(40), `0X${'a'.repeat(40)}`, ` 0x${'a'.repeat(40)}`, `0x${'a'.repeat(40)}\n`],
  [`0x${'ａ'.repeat(40)}`, 'vitalik.eth', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
].flat()
