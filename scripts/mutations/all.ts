import { accessMutations } from './access.ts'
import { splitBooksMutations } from './books-contract.ts'
import { checkoutMutations } from './checkout.ts'
import { eventMutations } from './events.ts'
import {
  permit2Mutations,
  pullerMutations,
  pullFactoryMutations,
  splitFactoryMutations,
} from './factory-contract.ts'
import { managingMutations } from './managing.ts'
import type { Mutation } from './mutation.ts'
import { pageMutations } from './pages.ts'
import { afterPaymentMutations, programMutations, relayMutations } from './paying.ts'
import { splitPaymentsMutations } from './payments-contract.ts'
import { receiptMutations } from './receipts.ts'
import { creatingMutations, salesMutations } from './sales.ts'
import { shopMutations } from './shops.ts'
import { waitingMutations } from './waiting.ts'

/** The checked list. */
export const mutations: readonly Mutation[] = [
  ...receiptMutations,
  ...creatingMutations,
  ...afterPaymentMutations,
  ...checkoutMutations,
  ...managingMutations,
  ...accessMutations,
  ...salesMutations,
  ...shopMutations,
  ...eventMutations,
  ...waitingMutations,
  ...pageMutations,
  ...programMutations,
  ...relayMutations,
  ...splitPaymentsMutations,
  ...splitBooksMutations,
  ...splitFactoryMutations,
  ...pullFactoryMutations,
  ...permit2Mutations,
  ...pullerMutations,
]
