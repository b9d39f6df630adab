import type { Mutation } from './mutation.ts'

/** What happens once a receipt is paid. */
export const afterPaymentMutations: readonly Mutation[] = [
  {
    name: 'onSuccess is lost',
    in: 'receiptTable',
    find: 'onSuccess: optional(text()),',
    replace: "onSuccess: optional(word({ read: () => '', write: (url) => url })),",
    tests: ['on-success'],
  },
  {
    name: 'redirect_url is followed in the checkout no more',
    in: 'afterPayment',
    find: 'said.url ?? receipt.redirectUrl',
    replace: 'said.url',
    tests: ['post-receipts-body'],
  },
  {
    name: 'a script that is only a way to a page is run',
    in: 'readOnSuccess',
    find: 'httpsUrl(target ?? text)',
    replace: 'httpsUrl(text)',
    tests: ['on-success'],
  },
  {
    name: 'the script of a receipt that is not paid is served',
    in: 'findOnSuccess',
    find: 'isPaid ? afterPayment(receipt).script : undefined',
    replace: 'isPaid ? undefined : afterPayment(receipt).script',
    tests: ['on-success'],
  },
]

/** How programs pay by x402: what they are asked for, and which payments are taken. */
export const programMutations: readonly Mutation[] = [
  {
    name: 'a program is asked for the deposit address of nobody',
    in: 'requirementsOf',
    find: 'payTo: depositAddress,',
    replace: 'payTo: verifyingContract,',
    tests: ['test/api/payments/get-payment-url'],
  },
  {
    name: 'a program is asked for money that is on its way',
    in: 'isUnderWay',
    beside: 'judgeBill',
    find: "state === 'seen' || state === 'paid'",
    replace: "state === 'paid'",
    tests: ['test/api/payments/get-payment-url'],
  },
  {
    name: 'a cancelled receipt asks programs for money',
    in: 'judgeBill',
    find: "if (view.cancelledAt !== null) return 'cancelled'",
    replace: '',
    tests: ['test/api/payments/get-payment-url'],
  },
  {
    name: 'a payment on another network is taken',
    in: 'judgeChoice',
    find: "if (accepted.network !== network) return refuse('network', `Payments are taken on ${network} only`)",
    replace: '',
    tests: ['test/api/payments/x402-refused'],
  },
  {
    name: 'a payment whose value is not what was accepted is taken for one',
    in: 'judgeChoice',
    find: 'if (accepted.amount !== signed.value.toString())',
    replace: 'if (accepted.amount === "")',
    tests: ['test/api/payments/x402-refused'],
  },
  {
    name: 'a payment of an earlier version of the protocol is read as one of this',
    in: 'readPaymentHeader',
    find: 'if (version !== x402Version)',
    replace: 'if (version === 99)',
    tests: ['src/payments/x402/read-payment-header'],
  },
  {
    name: 'numbers beyond the chain’s are read',
    in: 'readAuthorization',
    beside: 'readPaymentHeader',
    find: 'number >= 2n ** 256n',
    replace: 'number >= 2n ** 300n',
    tests: ['src/payments/x402/read-payment-header'],
  },
  {
    name: 'browsers are answered in JSON',
    in: 'wantsJson',
    find: "json > 0 && json > (weightOf(accept, 'text/html') ?? 0)",
    replace: 'json > 0',
    tests: ['src/pages/programs/wants-json'],
  },
  {
    name: 'a facilitator is believed that a payment was refused although it does not answer',
    in: 'readWord',
    find: "typeof errorReason === 'string' && status < 500",
    replace: "typeof errorReason === 'string'",
    tests: ['test/flows/payments/x402-facilitator'],
  },
  {
    name: 'what a facilitator may have sent already fails by its later refusal',
    in: 'submit',
    beside: 'facilitatePaymentsJob',
    find: "if (!wasAsked && reason !== 'authorization_used')",
    replace: "if (reason !== 'authorization_used')",
    tests: ['test/flows/payments/x402-facilitator'],
  },
  {
    name: "a facilitator's word is taken for a payment",
    in: 'record',
    beside: 'facilitatePaymentsJob',
    find: '{ ...relay, txHash: word.transaction }',
    replace: "{ ...relay, state: 'mined', txHash: word.transaction }",
    tests: ['test/flows/payments/x402-facilitator'],
  },
]

/** How the service submits what buyers signed. */
export const relayMutations: readonly Mutation[] = [
  {
    name: 'a signature for another address is relayed',
    in: 'judgeMessage',
    find: "if (to !== attempt.depositAddress) return 'recipient_mismatch'",
    replace: '',
    tests: ['test/api/payments/post-signatures'],
  },
  {
    name: 'a signature over another amount is relayed',
    in: 'judgeReceipt',
    find: "value === missing ? undefined : 'amount_mismatch'",
    replace: 'undefined',
    tests: ['test/api/payments/post-signatures'],
  },
  {
    name: 'a signature is sent although its receipt was paid otherwise',
    in: 'sendAll',
    beside: 'relayPaymentsJob',
    find: '(await judgeToSend(needs, relay, head)) ??',
    replace: '',
    tests: ['test/flows/payments/relayed'],
  },
  {
    name: 'what a stranger submitted first is no payment',
    in: 'settle',
    beside: 'settleRelays',
    find: "if (use?.kind === 'paid') {",
    replace: "if (use?.kind === 'paid' && transactions.some(({ hash }) => hash === use.txHash)) {",
    tests: ['test/flows/payments/relayed'],
  },
  {
    name: 'a transfer elsewhere is taken for the payment',
    in: 'hasPaid',
    beside: 'findUses',
    find: 'topics[2] === pad(depositAddress.toLowerCase() as Hex) &&',
    replace: '',
    tests: ['test/flows/payments/relayed'],
  },
  {
    name: 'a second signature of a receipt is taken while one is under way',
    in: 'isUnderWay',
    beside: 'submitAuthorization',
    find: "state === 'waiting' || state === 'sent'",
    replace: "state === 'mined'",
    tests: ['test/api/payments/post-signatures'],
  },
  {
    name: 'a signature is not tried before it is taken',
    in: 'simulateRelay',
    find: 'if (!estimate.ok) return explainRefusal(chain, relay)',
    replace: 'if (!estimate.ok) return undefined',
    tests: ['test/api/payments/post-signatures'],
  },
]
