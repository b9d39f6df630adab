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
