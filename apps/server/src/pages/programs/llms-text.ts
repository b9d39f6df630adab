import type { FastifyInstance } from 'fastify'
import type { FindTheme } from '../theme/make-theme.ts'
/** Content of `/llms.txt` (https://llmstxt.org): payment instructions, with links to this service only. */
export function llmsText(brandName: string): string {
  return `# ${oneLine(brandName)}

> Takes payments in stablecoins and other tokens for merchants. Every payment URL is a page for people and, at the same
> address, an x402 resource (version 2, scheme \`exact\`) for programs.

## Pay a receipt

A payment URL is \`/portal/<receipt id>?recipient=<merchant wallet>\` or \`/pay/<receipt id>\`.

1. GET it with \`Accept: application/json\`. The answer 402 has the payment requirements in the header \`PAYMENT-REQUIRED\`
   (base64 of JSON) and in its body, together with the receipt. Nothing is charged by asking.
2. Sign one of \`accepts\` (EIP-3009, no gas needed) and repeat the request with the header \`PAYMENT-SIGNATURE\`. Any x402
   client does both, for example \`@x402/fetch\`.
3. 200 with the header \`PAYMENT-RESPONSE\`: the payment is in the chain; it names the transaction and the receipt. 202: it
   is on its way; repeat the very same request. 402: it was not taken, and \`errorReason\` says why.
4. GET it again at any time: 200 with \`"paid": true\` once the receipt is paid.

A receipt can be paid only once. 409: already paid, or a payment is in progress; nothing was charged. 410: it was cancelled, has expired
or has failed. If \`accepts\` is empty, no signatures are taken at the moment: \`POST /api/checkout/{id}/attempts\` gives the
calls of a transaction to send instead.

## Read on

- [Guides](/docs/): how to integrate, for people
- [API reference](/docs/api): every endpoint, for people
- [OpenAPI document](/openapi.json): the same for programs
- [Failure codes](/api/failure-codes): why payments fail, and whether trying again helps
`
}

function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

export function registerLlms(
  app: FastifyInstance,
  { themes }: { readonly themes: { readonly find: FindTheme } },
): void {
  app.get('/llms.txt', async (request, reply) => {
    const { brandName } = await themes.find(undefined, request.headers.host)
    return reply
      .headers({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' })
      .header('cache-control', 'public, max-age=300')
      .type('text/plain; charset=utf-8')
      .send(llmsText(brandName))
  })
}
